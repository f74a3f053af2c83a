// Microbenchmarks of what compute capability 9.0 adds: warpgroup products (wgmma) from shared
// memory, and bulk copies with an mbarrier. Prints CSV rows as microbenchmarks.cu does. Build for
// sm_90a.
#include <cuda_runtime.h>
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>
#include "wgmma.h"

#define CHECK(call)                                                                             \
    do {                                                                                        \
        const cudaError_t error = (call);                                                       \
        if (error != cudaSuccess) {                                                             \
            std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error)); \
            std::exit(1);                                                                       \
        }                                                                                       \
    } while (false)

namespace {

constexpr int kRepetitions = 21;
constexpr int kSharedBytes = 64 << 10;

void report(const std::string& name, const std::string& unit, const std::function<double()>& once) {
    once();
    std::vector<double> values(kRepetitions);
    for (double& value : values) value = once();
    std::sort(values.begin(), values.end());
    std::printf("%s,%.5g,%.5g,%.5g,%d,%s\n", name.c_str(), values[kRepetitions / 2], values.front(),
                values.back(), kRepetitions, unit.c_str());
    std::fflush(stdout);
}

long long first_of(const long long* cycles) {
    long long value = 0;
    CHECK(cudaMemcpy(&value, cycles, sizeof value, cudaMemcpyDeviceToHost));
    return value;
}

/// Matrix descriptor of rows of 128 bytes, swizzled, 1024 bytes from eight rows to the next eight.
__device__ std::uint64_t descriptor(const void* data) {
    const std::uint64_t address = __cvta_generic_to_shared(data);
    return (address >> 4 & 0x3FFF) | std::uint64_t{1} << 16 | std::uint64_t{1024 >> 4} << 32 |
           std::uint64_t{1} << 62;
}

template <class Wgmma, bool waits>
__global__ void wgmma_chain(float* sink, long long* cycles, int steps) {
    extern __shared__ __align__(1024) unsigned char memory[];
    for (int i = threadIdx.x; i < kSharedBytes / 4; i += blockDim.x) {
        reinterpret_cast<std::uint32_t*>(memory)[i] = 0;
    }
    __syncthreads();
    const std::uint64_t a = descriptor(memory);
    const std::uint64_t b = descriptor(memory + (16 << 10));
    float d[Wgmma::kRegisters] = {};
    const long long start = clock64();
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    for (int i = 0; i < steps; ++i) {
        Wgmma::issue(d, a, b);
        if (waits) {
            asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;" ::
                             : "memory");
            asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
        }
    }
    asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;" ::: "memory");
    __syncthreads();
    const long long end = clock64();
    float sum = 0;
    for (int i = 0; i < Wgmma::kRegisters; ++i) sum += d[i];
    sink[threadIdx.x] = sum;
    if (threadIdx.x == 0) *cycles = end - start;
}

template <class Wgmma>
void report_wgmma(const std::string& name, float* sink, long long* cycles) {
    constexpr int kSteps = 1024;
    CHECK(cudaFuncSetAttribute(wgmma_chain<Wgmma, true>,
                               cudaFuncAttributeMaxDynamicSharedMemorySize, kSharedBytes));
    CHECK(cudaFuncSetAttribute(wgmma_chain<Wgmma, false>,
                               cudaFuncAttributeMaxDynamicSharedMemorySize, kSharedBytes));
    report(name + "_waited_for", "cycles", [&] {
        wgmma_chain<Wgmma, true><<<1, 128, kSharedBytes>>>(sink, cycles, kSteps);
        CHECK(cudaDeviceSynchronize());
        return static_cast<double>(first_of(cycles)) / kSteps;
    });
    for (const int groups : {1, 2}) {
        report(
            name + "_rate_" + std::to_string(groups) + "_warpgroups", "FMA_per_cycle_per_SM", [&] {
                wgmma_chain<Wgmma, false><<<1, 128 * groups, kSharedBytes>>>(sink, cycles, kSteps);
                CHECK(cudaDeviceSynchronize());
                return Wgmma::kFma * kSteps * groups / static_cast<double>(first_of(cycles));
            });
    }
}

__global__ void bulk_copy(const unsigned char* data, long long* cycles, int bytes, int steps) {
    extern __shared__ __align__(1024) unsigned char memory[];
    __shared__ std::uint64_t barrier;
    const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(&barrier));
    const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(memory));
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(at) : "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    long long sum = 0;
    for (int i = 0; i < steps; ++i) {
        const long long start = clock64();
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(at), "r"(bytes)
                     : "memory");
        asm volatile(
            "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, "
            "[%3];" ::"r"(to),
            "l"(data), "r"(bytes), "r"(at)
            : "memory");
        unsigned done = 0;
        while (done == 0) {
            asm volatile(
                "{\n.reg .pred p;\n"
                "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
                "selp.u32 %0, 1, 0, p;\n}"
                : "=r"(done)
                : "r"(at), "r"(i & 1)
                : "memory");
        }
        if (i > 0) sum += clock64() - start;
    }
    *cycles = sum;
}

}  // namespace

int main() {
    float* sink = nullptr;
    long long* cycles = nullptr;
    unsigned char* data = nullptr;
    CHECK(cudaMalloc(&sink, 4096));
    CHECK(cudaMalloc(&cycles, 16));
    CHECK(cudaMalloc(&data, kSharedBytes));
    std::printf("name,median,minimum,maximum,repetitions,unit\n");
    for (const int bytes : {128, 1024, 4096, 16384}) {
        CHECK(cudaFuncSetAttribute(bulk_copy, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                   kSharedBytes));
        report("bulk_copy_" + std::to_string(bytes) + "B_latency_l2_hit", "cycles", [&] {
            bulk_copy<<<1, 1, kSharedBytes>>>(data, cycles, bytes, 257);
            CHECK(cudaDeviceSynchronize());
            return static_cast<double>(first_of(cycles)) / 256;
        });
    }
    report_wgmma<F16N64>("wgmma_m64n64k16_f16_f32", sink, cycles);
    report_wgmma<F16N128>("wgmma_m64n128k16_f16_f32", sink, cycles);
    report_wgmma<F16N256>("wgmma_m64n256k16_f16_f32", sink, cycles);
    report_wgmma<Bf16N256>("wgmma_m64n256k16_bf16_f32", sink, cycles);
    report_wgmma<E4m3N256>("wgmma_m64n256k32_e4m3_f32", sink, cycles);
    report_wgmma<SparseF16N256>("wgmma_sp_m64n256k32_f16_f32", sink, cycles);
    return 0;
}
