// Microbenchmarks of one NVIDIA card: latencies, bandwidths and tensor-core rates. Prints CSV rows
// `name,median,minimum,maximum,repetitions,unit`. Cycles are those of the SM clock (clock64).
// Needs compute capability 8.0 or later.
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <random>
#include <string>
#include <vector>

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
constexpr int kChain = 4096;  // dependent instructions a measurement

void report(const std::string& name, const std::string& unit, const std::function<double()>& once) {
    once();
    std::vector<double> values(kRepetitions);
    for (double& value : values) value = once();
    std::sort(values.begin(), values.end());
    std::printf("%s,%.5g,%.5g,%.5g,%d,%s\n", name.c_str(), values[kRepetitions / 2], values.front(),
                values.back(), kRepetitions, unit.c_str());
    std::fflush(stdout);
}

template <class T>
T* device_array(std::size_t count) {
    T* data = nullptr;
    CHECK(cudaMalloc(&data, count * sizeof(T)));
    CHECK(cudaMemset(data, 0, count * sizeof(T)));
    return data;
}

template <class T>
T read_back(const T* data) {
    T value;
    CHECK(cudaMemcpy(&value, data, sizeof(T), cudaMemcpyDeviceToHost));
    return value;
}

// ---- dependent arithmetic ----

struct Fma {
    static __device__ float step(float x) { return fmaf(x, 1.0001F, 0.5F); }
};
struct Sqrt {
    static __device__ float step(float x) {
        float y;
        asm volatile("sqrt.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
        return y;
    }
};
struct Exp2 {
    static __device__ float step(float x) {
        float y;
        asm volatile("ex2.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
        return y;
    }
};
struct IntegerMad {
    static __device__ int step(int x) {
        asm volatile("mad.lo.s32 %0, %0, 3, 7;" : "+r"(x));
        return x;
    }
};
struct IntegerAdd {
    static __device__ int step(int x) {
        asm volatile("{.reg .s32 t; xor.b32 t, %0, 85; add.s32 %0, t, %0;}" : "+r"(x));
        return x;
    }
};

template <class Operation, class T>
__global__ void dependent(T* data, long long* cycles) {
    T x = data[threadIdx.x];
    const long long start = clock64();
#pragma unroll 64
    for (int i = 0; i < kChain; ++i) x = Operation::step(x);
    const long long end = clock64();
    data[threadIdx.x] = x;
    if (threadIdx.x == 0) *cycles = end - start;
}

template <class Operation, class T>
void report_dependent(const std::string& name) {
    T* data = device_array<T>(32);
    long long* cycles = device_array<long long>(1);
    report(name, "cycles", [&] {
        dependent<Operation, T><<<1, 32>>>(data, cycles);
        CHECK(cudaDeviceSynchronize());
        return static_cast<double>(read_back(cycles)) / kChain;
    });
}

// ---- chains of loads ----

enum class Cache { kL1, kL2 };

/// Follows a ring of pointers, and leaves where it is for the next launch.
template <Cache cache>
__global__ void chase(const std::uint64_t** place, long long* cycles, int steps) {
    const std::uint64_t* at = *place;
    const long long start = clock64();
    for (int i = 0; i < steps; ++i) {
        std::uint64_t next;
        if (cache == Cache::kL1) {
            asm volatile("ld.global.ca.u64 %0, [%1];" : "=l"(next) : "l"(at) : "memory");
        } else {
            asm volatile("ld.global.cg.u64 %0, [%1];" : "=l"(next) : "l"(at) : "memory");
        }
        at = reinterpret_cast<const std::uint64_t*>(next);
    }
    *cycles = clock64() - start;
    *place = at;
}

/// A ring of lines in random order, `step` bytes apart, in device memory.
std::uint64_t* ring(std::size_t bytes, std::size_t step) {
    std::uint64_t* data = device_array<std::uint64_t>(bytes / 8);
    const std::size_t count = bytes / step;
    std::vector<std::size_t> order(count);
    std::iota(order.begin(), order.end(), 0);
    std::mt19937_64 random(1);
    std::shuffle(order.begin() + 1, order.end(), random);
    std::vector<std::uint64_t> host(bytes / 8);
    for (std::size_t i = 0; i < count; ++i) {
        host[order[i] * step / 8] =
            reinterpret_cast<std::uint64_t>(data + order[(i + 1) % count] * step / 8);
    }
    CHECK(cudaMemcpy(data, host.data(), bytes, cudaMemcpyHostToDevice));
    return data;
}

/// Average latency of a load of a ring. A ring of fewer lines than steps is in the cache from the
/// second round on; one whose lines are more than the L2 holds is never there.
template <Cache cache>
void report_chase(const std::string& name, std::size_t bytes, std::size_t step, int steps) {
    std::uint64_t* data = ring(bytes, step);
    auto** place = device_array<const std::uint64_t*>(1);
    CHECK(cudaMemcpy(place, &data, sizeof data, cudaMemcpyHostToDevice));
    long long* cycles = device_array<long long>(1);
    report(name, "cycles", [&] {
        chase<cache><<<1, 1>>>(place, cycles, steps);
        CHECK(cudaDeviceSynchronize());
        return static_cast<double>(read_back(cycles)) / steps;
    });
    CHECK(cudaFree(data));
}

__global__ void chase_shared(long long* cycles) {
    __shared__ std::uint32_t next[1024];
    for (int i = 0; i < 1024; ++i) next[i] = (i + 33) % 1024;
    std::uint32_t at = 0;
    const long long start = clock64();
#pragma unroll 16
    for (int i = 0; i < kChain; ++i) at = next[at];
    const long long end = clock64();
    cycles[0] = end - start;
    cycles[1] = at;
}

// ---- bandwidths ----

template <class Vector>
__device__ float first_of(const Vector* data) {
    Vector v;
    auto* floats = reinterpret_cast<float*>(&v);
    if constexpr (sizeof(Vector) == 16) {
        asm volatile("ld.global.ca.v4.f32 {%0,%1,%2,%3}, [%4];"
                     : "=f"(floats[0]), "=f"(floats[1]), "=f"(floats[2]), "=f"(floats[3])
                     : "l"(data)
                     : "memory");
    } else if constexpr (sizeof(Vector) == 8) {
        asm volatile("ld.global.ca.v2.f32 {%0,%1}, [%2];"
                     : "=f"(floats[0]), "=f"(floats[1])
                     : "l"(data)
                     : "memory");
    } else {
        asm volatile("ld.global.ca.f32 %0, [%1];" : "=f"(floats[0]) : "l"(data) : "memory");
    }
    return floats[0];
}

constexpr std::size_t kL1Bytes = 32 << 10;
constexpr int kL1Threads = 1024;

template <class Vector>
__global__ void read_l1(const Vector* data, float* sink, long long* cycles, int passes) {
    constexpr int kEach = kL1Bytes / sizeof(Vector) / kL1Threads;
    long long start = 0;
    float sum = 0;
#pragma unroll 1  // the assembler would join equal loads of two passes
    for (int pass = -1; pass < passes; ++pass) {  // the first fills the cache
        if (pass == 0) {
            __syncthreads();
            start = clock64();
        }
#pragma unroll
        for (int i = 0; i < kEach; ++i) sum += first_of(data + i * kL1Threads + threadIdx.x);
    }
    __syncthreads();
    if (threadIdx.x == 0) *cycles = clock64() - start;
    sink[threadIdx.x] = sum;
}

template <class Vector>
void report_l1(const std::string& name) {
    constexpr int kPasses = 256;
    Vector* data = device_array<Vector>(kL1Bytes / sizeof(Vector));
    float* sink = device_array<float>(kL1Threads);
    long long* cycles = device_array<long long>(1);
    report(name, "bytes_per_cycle_per_SM", [&] {
        read_l1<Vector><<<1, kL1Threads>>>(data, sink, cycles, kPasses);
        CHECK(cudaDeviceSynchronize());
        return static_cast<double>(kL1Bytes) * kPasses / static_cast<double>(read_back(cycles));
    });
}

__global__ void read_shared(float* sink, long long* cycles, int passes) {
    __shared__ float4 data[2048];
    for (int i = threadIdx.x; i < 2048; i += blockDim.x) data[i] = make_float4(i, i, i, i);
    __syncthreads();
    float sum = 0;
    const unsigned base = static_cast<unsigned>(__cvta_generic_to_shared(data));
    const long long start = clock64();
    for (int pass = 0; pass < passes; ++pass) {
#pragma unroll
        for (int i = 0; i < 2; ++i) {
            float4 v;
            asm volatile("ld.volatile.shared.v4.f32 {%0,%1,%2,%3}, [%4];"
                         : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
                         : "r"(base + 16 * (threadIdx.x + 1024 * i)));
            sum += v.x;
        }
    }
    __syncthreads();
    if (threadIdx.x == 0) *cycles = clock64() - start;
    sink[threadIdx.x] = sum;
}

__global__ void read_l2(const float4* data, float* sink, std::size_t vectors, int passes) {
    float sum = 0;
    const std::size_t threads = std::size_t{gridDim.x} * blockDim.x;
    for (int pass = 0; pass < passes; ++pass) {
        // Every pass begins elsewhere, so that no SM reads its own part out of its L1.
        const std::size_t start = (blockIdx.x * std::size_t{blockDim.x} + threadIdx.x +
                                   pass * 37 * std::size_t{blockDim.x}) %
                                  threads;
#pragma unroll 4
        for (std::size_t i = start; i < vectors; i += threads) {
            float4 v;
            asm volatile("ld.global.cg.v4.f32 {%0,%1,%2,%3}, [%4];"
                         : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
                         : "l"(data + i));
            sum += v.x;
        }
    }
    if (sum == 1234567.0F) sink[0] = sum;
}

__global__ void write_all(float4* data, std::size_t vectors) {
    const std::size_t threads = std::size_t{gridDim.x} * blockDim.x;
    for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < vectors;
         i += threads) {
        data[i] = make_float4(1, 2, 3, 4);
    }
}

__global__ void copy_all(const float4* from, float4* to, std::size_t vectors) {
    const std::size_t threads = std::size_t{gridDim.x} * blockDim.x;
    for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < vectors;
         i += threads) {
        to[i] = from[i];
    }
}

double seconds_of(const std::function<void()>& launch) {
    cudaEvent_t start;
    cudaEvent_t end;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&end));
    CHECK(cudaEventRecord(start));
    launch();
    CHECK(cudaEventRecord(end));
    CHECK(cudaEventSynchronize(end));
    float milliseconds = 0;
    CHECK(cudaEventElapsedTime(&milliseconds, start, end));
    CHECK(cudaEventDestroy(start));
    CHECK(cudaEventDestroy(end));
    return milliseconds / 1000;
}

// ---- tensor cores: mma.sync ----

// One warp's chain of M dependent (or four independent chains of) instructions.

struct MmaF16F32K16 {
    using D = float;
    static constexpr int kD = 4;
    static constexpr double kFma = 16 * 8 * 16;
    static __device__ void issue(float* d, const std::uint32_t* a, const std::uint32_t* b) {
        asm volatile(
            "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
            "{%8,%9}, "
            "{%0,%1,%2,%3};"
            : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
            : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    }
};
struct MmaF16F32K8 {
    using D = float;
    static constexpr int kD = 4;
    static constexpr double kFma = 16 * 8 * 8;
    static __device__ void issue(float* d, const std::uint32_t* a, const std::uint32_t* b) {
        asm volatile(
            "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, "
            "{%0,%1,%2,%3};"
            : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
            : "r"(a[0]), "r"(a[1]), "r"(b[0]));
    }
};
struct MmaF16F16K16 {
    using D = std::uint32_t;
    static constexpr int kD = 2;
    static constexpr double kFma = 16 * 8 * 16;
    static __device__ void issue(std::uint32_t* d, const std::uint32_t* a, const std::uint32_t* b) {
        asm volatile(
            "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0,%1}, {%2,%3,%4,%5}, {%6,%7}, "
            "{%0,%1};"
            : "+r"(d[0]), "+r"(d[1])
            : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    }
};
struct MmaBf16K16 {
    using D = float;
    static constexpr int kD = 4;
    static constexpr double kFma = 16 * 8 * 16;
    static __device__ void issue(float* d, const std::uint32_t* a, const std::uint32_t* b) {
        asm volatile(
            "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
            "{%8,%9}, "
            "{%0,%1,%2,%3};"
            : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
            : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    }
};
struct MmaTf32K8 {
    using D = float;
    static constexpr int kD = 4;
    static constexpr double kFma = 16 * 8 * 8;
    static __device__ void issue(float* d, const std::uint32_t* a, const std::uint32_t* b) {
        asm volatile(
            "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
            "{%8,%9}, "
            "{%0,%1,%2,%3};"
            : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
            : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    }
};
struct MmaS8K32 {
    using D = int;
    static constexpr int kD = 4;
    static constexpr double kFma = 16 * 8 * 32;
    static __device__ void issue(int* d, const std::uint32_t* a, const std::uint32_t* b) {
        asm volatile(
            "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
            "{%8,%9}, "
            "{%0,%1,%2,%3};"
            : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
            : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    }
};
struct MmaSparseF16K32 {  // FMA are the dense product's
    using D = float;
    static constexpr int kD = 4;
    static constexpr double kFma = 16 * 8 * 32;
    static __device__ void issue(float* d, const std::uint32_t* a, const std::uint32_t* b) {
        asm volatile(
            "mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
            "{%8,%9,%10,%11}, {%0,%1,%2,%3}, %12, 0x0;"
            : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
            : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(b[2]),
              "r"(b[3]), "r"(0x44444444U));
    }
};

template <class Mma, int chains>
__global__ void mma_chain(std::uint32_t* sink, long long* cycles, int steps) {
    std::uint32_t a[4] = {threadIdx.x, 1, 2, 3};
    std::uint32_t b[4] = {4, 5, 6, 7};
    typename Mma::D d[chains][4] = {};
    __syncthreads();
    const long long start = clock64();
    for (int i = 0; i < steps; i += chains) {
#pragma unroll
        for (int c = 0; c < chains; ++c) Mma::issue(d[c], a, b);
    }
    __syncthreads();
    const long long end = clock64();
    std::uint32_t sum = 0;
    for (int c = 0; c < chains; ++c) {
        for (int i = 0; i < Mma::kD; ++i) sum += static_cast<std::uint32_t>(d[c][i]);
    }
    sink[threadIdx.x] = sum;
    if (threadIdx.x == 0) *cycles = end - start;
}

template <class Mma>
void report_mma(const std::string& name) {
    constexpr int kSteps = 2048;
    constexpr int kWarps = 16;
    std::uint32_t* sink = device_array<std::uint32_t>(1024);
    long long* cycles = device_array<long long>(1);
    report(name + "_dependent", "cycles", [&] {
        mma_chain<Mma, 1><<<1, 32>>>(sink, cycles, kSteps);
        CHECK(cudaDeviceSynchronize());
        return static_cast<double>(read_back(cycles)) / kSteps;
    });
    report(name + "_rate", "FMA_per_cycle_per_SM", [&] {
        mma_chain<Mma, 8><<<1, 32 * kWarps>>>(sink, cycles, kSteps);
        CHECK(cudaDeviceSynchronize());
        return Mma::kFma * kSteps * kWarps / static_cast<double>(read_back(cycles));
    });
}

// ---- asynchronous copies to shared memory ----

__global__ void copy_async_latency(const float4* data, long long* cycles, int steps) {
    __shared__ float4 buffer[32];
    const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(buffer));
    long long sum = 0;
    for (int i = 0; i < steps; ++i) {
        const long long start = clock64();
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(data + i % 64)
                     : "memory");
        asm volatile("cp.async.commit_group;\ncp.async.wait_group 0;" ::: "memory");
        if (i >= 64) sum += clock64() - start;  // the first round fills the L2
    }
    cycles[0] = sum;
    cycles[1] = static_cast<long long>(buffer[0].x);
}

// ---- launches ----

__global__ void empty() {}

}  // namespace

int main() {
    cudaDeviceProp card;
    CHECK(cudaGetDeviceProperties(&card, 0));
    const int sms = card.multiProcessorCount;
    std::printf("name,median,minimum,maximum,repetitions,unit\n");

    report_dependent<Fma, float>("fp32_fma_dependent");
    report_dependent<IntegerMad, int>("int32_mad_dependent");
    report_dependent<IntegerAdd, int>("int32_xor_then_add_dependent");
    report_dependent<Sqrt, float>("sfu_sqrt_approx_dependent");
    report_dependent<Exp2, float>("sfu_ex2_approx_dependent");

    report_chase<Cache::kL1>("l1_hit_latency", 16 << 10, 128, 1 << 20);
    report_chase<Cache::kL2>("l2_hit_latency_1MiB", 1 << 20, 128, 8192);
    report_chase<Cache::kL2>("l2_hit_latency_16MiB", 16 << 20, 128, 65536);
    report_chase<Cache::kL2>("dram_latency_2GiB", std::size_t{2} << 30, 512, 16384);
    long long* cycles = device_array<long long>(2);
    report("shared_latency", "cycles", [&] {
        chase_shared<<<1, 1>>>(cycles);
        CHECK(cudaDeviceSynchronize());
        return static_cast<double>(read_back(cycles)) / kChain;
    });
    float4* few = device_array<float4>(64);
    report("cp_async_16B_latency_l2_hit", "cycles", [&] {
        copy_async_latency<<<1, 1>>>(few, cycles, 512);
        CHECK(cudaDeviceSynchronize());
        return static_cast<double>(read_back(cycles)) / (512 - 64);
    });

    report_l1<float>("l1_bandwidth_32b");
    report_l1<float2>("l1_bandwidth_64b");
    report_l1<float4>("l1_bandwidth_128b");
    float* sink = device_array<float>(1024);
    report("shared_bandwidth_128b", "bytes_per_cycle_per_SM", [&] {
        read_shared<<<1, 1024>>>(sink, cycles, 512);
        CHECK(cudaDeviceSynchronize());
        return 512.0 * 2 * 1024 * 16 / static_cast<double>(read_back(cycles));
    });

    const auto read_rate = [&](const std::string& name, std::size_t bytes, int passes) {
        float4* data = device_array<float4>(bytes / 16);
        report(name, "GB_per_s", [&] {
            const double seconds =
                seconds_of([&] { read_l2<<<2 * sms, 1024>>>(data, sink, bytes / 16, passes); });
            return static_cast<double>(bytes) * passes / seconds / 1e9;
        });
        CHECK(cudaFree(data));
    };
    read_rate("l2_read_bandwidth_8MiB", 8 << 20, 200);
    read_rate("l2_read_bandwidth_24MiB", 24 << 20, 100);
    read_rate("dram_read_bandwidth_4GiB", std::size_t{4} << 30, 1);
    constexpr std::size_t kLarge = std::size_t{2} << 30;
    float4* from = device_array<float4>(kLarge / 16);
    float4* to = device_array<float4>(kLarge / 16);
    report("dram_write_bandwidth_2GiB", "GB_per_s", [&] {
        return kLarge / seconds_of([&] { write_all<<<2 * sms, 1024>>>(to, kLarge / 16); }) / 1e9;
    });
    report("dram_copy_bandwidth_2GiB", "GB_per_s", [&] {
        return 2.0 * kLarge /
               seconds_of([&] { copy_all<<<2 * sms, 1024>>>(from, to, kLarge / 16); }) / 1e9;
    });

    report_mma<MmaF16F32K16>("mma_m16n8k16_f16_f32");
    report_mma<MmaF16F32K8>("mma_m16n8k8_f16_f32");
    report_mma<MmaF16F16K16>("mma_m16n8k16_f16_f16");
    report_mma<MmaBf16K16>("mma_m16n8k16_bf16_f32");
    report_mma<MmaTf32K8>("mma_m16n8k8_tf32_f32");
    report_mma<MmaS8K32>("mma_m16n8k32_s8_s32");
    report_mma<MmaSparseF16K32>("mma_sp_m16n8k32_f16_f32");

    constexpr int kLaunches = 2000;
    report("empty_kernel_in_stream", "us", [&] {
        return seconds_of([&] {
                   for (int i = 0; i < kLaunches; ++i) empty<<<sms, 128>>>();
               }) /
               kLaunches * 1e6;
    });
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    for (int i = 0; i < kLaunches; ++i) empty<<<sms, 128, 0, stream>>>();
    cudaGraph_t graph;
    CHECK(cudaStreamEndCapture(stream, &graph));
    cudaGraphExec_t executable;
    CHECK(cudaGraphInstantiate(&executable, graph, 0));
    report("empty_kernel_in_graph", "us", [&] {
        CHECK(cudaDeviceSynchronize());
        cudaEvent_t start;
        cudaEvent_t end;
        CHECK(cudaEventCreate(&start));
        CHECK(cudaEventCreate(&end));
        CHECK(cudaEventRecord(start, stream));
        CHECK(cudaGraphLaunch(executable, stream));
        CHECK(cudaEventRecord(end, stream));
        CHECK(cudaEventSynchronize(end));
        float milliseconds = 0;
        CHECK(cudaEventElapsedTime(&milliseconds, start, end));
        return milliseconds * 1000 / kLaunches;
    });
    CHECK(cudaDeviceSynchronize());
    return 0;
}
