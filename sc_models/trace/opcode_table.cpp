#include "sc_models/trace/opcode_table.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <vector>

#include "sc_models/common/edit_distance.h"
#include "sc_models/common/error.h"
#include "sc_models/config/engine/config_node.h"

namespace tessera {
namespace {

using C = SassClass;
using S = MemorySpace;

constexpr std::size_t kLongestMnemonic = 128;

// Opcodes of Kepler to Ampere, and those of Hopper that are alike, sorted by name.
constexpr SassOpcode kSassOpcodes[] = {
    {"ARRIVES", C::kAtomic, S::kShared},
    {"ATOM", C::kAtomic, S::kGeneric},
    {"ATOMG", C::kAtomic, S::kGlobal},
    {"ATOMS", C::kAtomic, S::kShared},
    {"B2R", C::kMove, S::kNone},
    {"BAR", C::kBarrier, S::kNone},
    {"BFE", C::kInteger, S::kNone},
    {"BFI", C::kInteger, S::kNone},
    {"BMMA", C::kTensor, S::kNone},
    {"BMOV", C::kMove, S::kNone},
    {"BMSK", C::kInteger, S::kNone},
    {"BPT", C::kBranch, S::kNone},
    {"BRA", C::kBranch, S::kNone},
    {"BREAK", C::kBranch, S::kNone},
    {"BREV", C::kSpecialFunction, S::kNone},
    {"BRK", C::kBranch, S::kNone},
    {"BRX", C::kBranch, S::kNone},
    {"BRXU", C::kBranch, S::kNone},
    {"BSSY", C::kBranch, S::kNone},
    {"BSYNC", C::kBranch, S::kNone},
    {"CAL", C::kBranch, S::kNone},
    {"CALL", C::kBranch, S::kNone},
    {"CCTL", C::kCacheControl, S::kGeneric},
    {"CCTLL", C::kCacheControl, S::kLocal},
    {"CCTLT", C::kCacheControl, S::kTexture},
    {"CONT", C::kBranch, S::kNone},
    {"CS2R", C::kMove, S::kNone},
    {"CSET", C::kInteger, S::kNone},
    {"CSETP", C::kInteger, S::kNone},
    {"CSMTEST", C::kMisc, S::kNone},
    {"DADD", C::kFp64, S::kNone},
    {"DEPBAR", C::kDependencyBarrier, S::kNone},
    {"DFMA", C::kFp64, S::kNone},
    {"DMMA", C::kTensor, S::kNone},
    {"DMNMX", C::kFp64, S::kNone},
    {"DMUL", C::kFp64, S::kNone},
    {"DSET", C::kFp64, S::kNone},
    {"DSETP", C::kFp64, S::kNone},
    {"ELECT", C::kUniform, S::kNone},
    {"ERRBAR", C::kMemoryBarrier, S::kNone},
    {"EXIT", C::kExit, S::kNone},
    {"F2F", C::kConversion, S::kNone},
    {"F2FP", C::kConversion, S::kNone},
    {"F2I", C::kConversion, S::kNone},
    {"F2IP", C::kConversion, S::kNone},
    {"FADD", C::kFp32, S::kNone},
    {"FADD32I", C::kFp32, S::kNone},
    {"FCHK", C::kFp32, S::kNone},
    {"FCMP", C::kFp32, S::kNone},
    {"FFMA", C::kFp32, S::kNone},
    {"FFMA32I", C::kFp32, S::kNone},
    {"FLO", C::kSpecialFunction, S::kNone},
    {"FMNMX", C::kFp32, S::kNone},
    {"FMUL", C::kFp32, S::kNone},
    {"FMUL32I", C::kFp32, S::kNone},
    {"FRND", C::kConversion, S::kNone},
    {"FSEL", C::kFp32, S::kNone},
    {"FSET", C::kFp32, S::kNone},
    {"FSETP", C::kFp32, S::kNone},
    {"FSWZADD", C::kFp32, S::kNone},
    {"GETLMEMBASE", C::kMove, S::kNone},
    {"HADD2", C::kHalf, S::kNone},
    {"HADD2_32I", C::kHalf, S::kNone},
    {"HFMA2", C::kHalf, S::kNone},
    {"HFMA2_32I", C::kHalf, S::kNone},
    {"HMMA", C::kTensor, S::kNone},
    {"HMNMX2", C::kHalf, S::kNone},
    {"HMUL2", C::kHalf, S::kNone},
    {"HMUL2_32I", C::kHalf, S::kNone},
    {"HSET2", C::kHalf, S::kNone},
    {"HSETP2", C::kHalf, S::kNone},
    {"I2F", C::kConversion, S::kNone},
    {"I2FP", C::kConversion, S::kNone},
    {"I2I", C::kConversion, S::kNone},
    {"I2IP", C::kConversion, S::kNone},
    {"IABS", C::kInteger, S::kNone},
    {"IADD", C::kInteger, S::kNone},
    {"IADD3", C::kInteger, S::kNone},
    {"IADD32I", C::kInteger, S::kNone},
    {"ICMP", C::kInteger, S::kNone},
    {"IDE", C::kMisc, S::kNone},
    {"IDP", C::kInteger, S::kNone},
    {"IDP4A", C::kInteger, S::kNone},
    {"IMAD", C::kInteger, S::kNone},
    {"IMAD32I", C::kInteger, S::kNone},
    {"IMADSP", C::kInteger, S::kNone},
    {"IMMA", C::kTensor, S::kNone},
    {"IMNMX", C::kInteger, S::kNone},
    {"IMUL", C::kInteger, S::kNone},
    {"IMUL32I", C::kInteger, S::kNone},
    {"ISAD", C::kInteger, S::kNone},
    {"ISCADD", C::kInteger, S::kNone},
    {"ISCADD32I", C::kInteger, S::kNone},
    {"ISET", C::kInteger, S::kNone},
    {"ISETP", C::kInteger, S::kNone},
    {"JCAL", C::kBranch, S::kNone},
    {"JMP", C::kBranch, S::kNone},
    {"JMX", C::kBranch, S::kNone},
    {"JMXU", C::kBranch, S::kNone},
    {"KIL", C::kExit, S::kNone},
    {"KILL", C::kExit, S::kNone},
    {"LD", C::kLoad, S::kGeneric},
    {"LDC", C::kLoad, S::kConstant},
    {"LDG", C::kLoad, S::kGlobal},
    {"LDGDEPBAR", C::kDependencyBarrier, S::kNone},
    {"LDGSTS", C::kAsyncCopy, S::kGlobal},
    {"LDL", C::kLoad, S::kLocal},
    {"LDS", C::kLoad, S::kShared},
    {"LDSLK", C::kLoad, S::kShared},
    {"LDSM", C::kLoad, S::kShared},
    {"LDU", C::kLoad, S::kGlobal},
    {"LEA", C::kInteger, S::kNone},
    {"LEPC", C::kMove, S::kNone},
    {"LONGJMP", C::kBranch, S::kNone},
    {"LOP", C::kInteger, S::kNone},
    {"LOP3", C::kInteger, S::kNone},
    {"LOP32I", C::kInteger, S::kNone},
    {"MATCH", C::kShuffle, S::kNone},
    {"MEMBAR", C::kMemoryBarrier, S::kNone},
    {"MOV", C::kMove, S::kNone},
    {"MOV32I", C::kMove, S::kNone},
    {"MOVM", C::kShuffle, S::kNone},
    {"MUFU", C::kSpecialFunction, S::kNone},
    {"NANOSLEEP", C::kMisc, S::kNone},
    {"NOP", C::kMisc, S::kNone},
    {"P2R", C::kMove, S::kNone},
    {"PBK", C::kBranch, S::kNone},
    {"PCNT", C::kBranch, S::kNone},
    {"PEXIT", C::kBranch, S::kNone},
    {"PLONGJMP", C::kBranch, S::kNone},
    {"PLOP3", C::kInteger, S::kNone},
    {"PMTRIG", C::kMisc, S::kNone},
    {"POPC", C::kSpecialFunction, S::kNone},
    {"PREEXIT", C::kMisc, S::kNone},
    {"PRET", C::kBranch, S::kNone},
    {"PRMT", C::kInteger, S::kNone},
    {"PSET", C::kInteger, S::kNone},
    {"PSETP", C::kInteger, S::kNone},
    {"QSPC", C::kMisc, S::kGeneric},
    {"R2B", C::kMove, S::kNone},
    {"R2P", C::kMove, S::kNone},
    {"R2UR", C::kUniform, S::kNone},
    {"RAM", C::kMisc, S::kNone},
    {"RED", C::kAtomic, S::kGlobal},
    {"REDG", C::kAtomic, S::kGlobal},
    {"REDUX", C::kShuffle, S::kNone},
    {"RET", C::kBranch, S::kNone},
    {"RPCMOV", C::kMove, S::kNone},
    {"RRO", C::kFp32, S::kNone},
    {"RTT", C::kBranch, S::kNone},
    {"S2R", C::kMove, S::kNone},
    {"S2UR", C::kUniform, S::kNone},
    {"SAM", C::kMisc, S::kNone},
    {"SEL", C::kInteger, S::kNone},
    {"SETCTAID", C::kMisc, S::kNone},
    {"SETLMEMBASE", C::kMove, S::kNone},
    {"SGXT", C::kInteger, S::kNone},
    {"SHF", C::kInteger, S::kNone},
    {"SHFL", C::kShuffle, S::kNone},
    {"SHL", C::kInteger, S::kNone},
    {"SHR", C::kInteger, S::kNone},
    {"SSY", C::kBranch, S::kNone},
    {"ST", C::kStore, S::kGeneric},
    {"STG", C::kStore, S::kGlobal},
    {"STL", C::kStore, S::kLocal},
    {"STS", C::kStore, S::kShared},
    {"STSCUL", C::kStore, S::kShared},
    {"STSUL", C::kStore, S::kShared},
    {"SUATOM", C::kSurface, S::kTexture},
    {"SUBFM", C::kSurface, S::kNone},
    {"SUCLAMP", C::kSurface, S::kNone},
    {"SUEAU", C::kSurface, S::kNone},
    {"SULD", C::kSurface, S::kTexture},
    {"SULDGA", C::kSurface, S::kTexture},
    {"SULEA", C::kSurface, S::kNone},
    {"SUQUERY", C::kSurface, S::kTexture},
    {"SURED", C::kSurface, S::kTexture},
    {"SUST", C::kSurface, S::kTexture},
    {"SUSTGA", C::kSurface, S::kTexture},
    {"SYNC", C::kBranch, S::kNone},
    {"TEX", C::kTexture, S::kTexture},
    {"TEXDEPBAR", C::kDependencyBarrier, S::kNone},
    {"TEXS", C::kTexture, S::kTexture},
    {"TLD", C::kTexture, S::kTexture},
    {"TLD4", C::kTexture, S::kTexture},
    {"TLD4S", C::kTexture, S::kTexture},
    {"TLDS", C::kTexture, S::kTexture},
    {"TMML", C::kTexture, S::kTexture},
    {"TXD", C::kTexture, S::kTexture},
    {"TXQ", C::kTexture, S::kTexture},
    {"UBMSK", C::kUniform, S::kNone},
    {"UBREV", C::kUniform, S::kNone},
    {"UCLEA", C::kUniform, S::kNone},
    {"UF2FP", C::kUniform, S::kNone},
    {"UFLO", C::kUniform, S::kNone},
    {"UIADD3", C::kUniform, S::kNone},
    {"UIMAD", C::kUniform, S::kNone},
    {"UIMNMX", C::kUniform, S::kNone},
    {"UISETP", C::kUniform, S::kNone},
    {"ULDC", C::kUniform, S::kConstant},
    {"ULEA", C::kUniform, S::kNone},
    {"ULEPC", C::kUniform, S::kNone},
    {"ULOP", C::kUniform, S::kNone},
    {"ULOP3", C::kUniform, S::kNone},
    {"ULOP32I", C::kUniform, S::kNone},
    {"UMOV", C::kUniform, S::kNone},
    {"UP2UR", C::kUniform, S::kNone},
    {"UPLOP3", C::kUniform, S::kNone},
    {"UPOPC", C::kUniform, S::kNone},
    {"UPRMT", C::kUniform, S::kNone},
    {"UPSETP", C::kUniform, S::kNone},
    {"UR2UP", C::kUniform, S::kNone},
    {"USEL", C::kUniform, S::kNone},
    {"USGXT", C::kUniform, S::kNone},
    {"USHF", C::kUniform, S::kNone},
    {"USHL", C::kUniform, S::kNone},
    {"USHR", C::kUniform, S::kNone},
    {"VABSDIFF", C::kInteger, S::kNone},
    {"VABSDIFF4", C::kInteger, S::kNone},
    {"VHMNMX", C::kInteger, S::kNone},
    {"VIADD", C::kInteger, S::kNone},
    {"VIADDMNMX", C::kInteger, S::kNone},
    {"VIMNMX", C::kInteger, S::kNone},
    {"VIMNMX3", C::kInteger, S::kNone},
    {"VOTE", C::kMove, S::kNone},
    {"VOTEU", C::kUniform, S::kNone},
    {"VOTE_VTG", C::kMove, S::kNone},
    {"WARPSYNC", C::kBranch, S::kNone},
    {"XMAD", C::kInteger, S::kNone},
    {"YIELD", C::kBranch, S::kNone},
};

/// Instructions that traces may have and the machine has not.
struct UnmodelledOpcode {
    std::string_view name;
    std::string_view kind;
};
constexpr std::string_view kWarpGroup = "products of warp groups";
constexpr std::string_view kBulkCopy = "copies of tensors and blocks (TMA)";
constexpr std::string_view kCluster = "clusters of thread blocks";
constexpr std::string_view kSpinLoop = "spin loops that wait for another warp";
constexpr UnmodelledOpcode kUnmodelled[] = {
    {"ACQBULK", kBulkCopy},
    {"BGMMA", kWarpGroup},
    {"CGAERRBAR", kCluster},
    {"ENDCOLLECTIVE", "collective instructions"},
    {"FENCE", "fences between memory proxies"},
    {"HGMMA", kWarpGroup},
    {"IGMMA", kWarpGroup},
    {"LDGMC", "loads of multicast memory"},
    {"QGMMA", kWarpGroup},
    {"QMMA", "products of FP8"},
    {"REDAS", kCluster},
    {"REPLAY_END", kSpinLoop},
    {"REPLAY_START", kSpinLoop},
    {"STAS", kCluster},
    {"STSM", "stores of matrices to shared memory"},
    {"SYNCS", "barriers in shared memory (mbarrier)"},
    {"UBLKCP", kBulkCopy},
    {"UBLKPF", kBulkCopy},
    {"UBLKRED", kBulkCopy},
    {"UCGABAR_ARV", kCluster},
    {"UCGABAR_WAIT", kCluster},
    {"USETMAXREG", "registers that warps give each other"},
    {"UTMACCTL", kBulkCopy},
    {"UTMACMDFLUSH", kBulkCopy},
    {"UTMALDG", kBulkCopy},
    {"UTMAPF", kBulkCopy},
    {"UTMAREDG", kBulkCopy},
    {"UTMASTG", kBulkCopy},
    {"WARPGROUP", kWarpGroup},
    {"WARPGROUPSET", kWarpGroup},
};

constexpr bool sorted() {
    for (std::size_t i = 1; i < std::size(kSassOpcodes); ++i) {
        if (!(kSassOpcodes[i - 1].name < kSassOpcodes[i].name)) return false;
    }
    return true;
}
static_assert(sorted(), "looked up by binary search");

constexpr bool unmodelled_sorted() {
    for (std::size_t i = 1; i < std::size(kUnmodelled); ++i) {
        if (!(kUnmodelled[i - 1].name < kUnmodelled[i].name)) return false;
    }
    return true;
}
static_assert(unmodelled_sorted(), "looked up by binary search");

bool has(const std::vector<std::string_view>& suffixes, std::string_view suffix) {
    return std::find(suffixes.begin(), suffixes.end(), suffix) != suffixes.end();
}

/// Width in bits of a suffix such as 128, U8, S16 or F64, or 0.
std::uint32_t suffix_bits(std::string_view suffix) {
    if (suffix.size() > 1 && (suffix[0] == 'U' || suffix[0] == 'S' || suffix[0] == 'F')) {
        suffix.remove_prefix(1);
    }
    std::uint32_t bits = 0;
    const char* end = suffix.data() + suffix.size();
    const auto [stop, error] = std::from_chars(suffix.data(), end, bits);
    return error == std::errc() && stop == end ? bits : 0;
}

std::uint8_t access_bytes_of(std::string_view root, const std::vector<std::string_view>& suffixes) {
    if (root == "LDSM") return 16;
    static constexpr std::array<std::uint32_t, 5> kWidths = {8, 16, 32, 64, 128};
    for (const std::string_view suffix : suffixes) {
        const std::uint32_t bits = suffix_bits(suffix);
        if (bits == 0) continue;
        const bool known = std::find(kWidths.begin(), kWidths.end(), bits) != kWidths.end();
        return known ? static_cast<std::uint8_t>(bits / 8) : 0;
    }
    return 4;
}

/// Returns SassMnemonic::shape. Instructions name the types behind the shape, which is not always
/// all of them: the operands are FP16 or INT8 unless another type is named.
std::optional<MmaShape> shape_of(std::string_view root,
                                 const std::vector<std::string_view>& suffixes, bool fp16_sums) {
    if (root != "HMMA" && root != "IMMA") return std::nullopt;
    const bool sparse = has(suffixes, "SP");
    const auto is = [&](std::string_view size) { return has(suffixes, size); };
    using Shape = MmaShape;
    if (root == "IMMA") {
        if (has(suffixes, "S4") || has(suffixes, "U4")) return std::nullopt;
        if (sparse) return is("16864") ? std::optional(Shape::kImmaSp16864) : std::nullopt;
        if (is("8816")) return Shape::kImma8816;
        if (is("16816")) return Shape::kImma16816;
        return is("16832") ? std::optional(Shape::kImma16832) : std::nullopt;
    }
    if (has(suffixes, "TF32")) {
        if (sparse) return std::nullopt;
        if (is("1684")) return Shape::kHmma1684Tf32;
        return is("1688") ? std::optional(Shape::kHmma1688Tf32) : std::nullopt;
    }
    if (sparse) return is("16832") ? std::optional(Shape::kHmmaSp16832) : std::nullopt;
    const bool bf16 = has(suffixes, "BF16");
    if (is("884")) return fp16_sums ? Shape::kHmma884F16 : Shape::kHmma884;
    if (is("1688")) {
        return bf16 ? Shape::kHmma1688Bf16 : fp16_sums ? Shape::kHmma1688F16 : Shape::kHmma1688;
    }
    if (!is("16816")) return std::nullopt;
    return bf16 ? Shape::kHmma16816Bf16 : fp16_sums ? Shape::kHmma16816F16 : Shape::kHmma16816;
}

std::uint8_t matrices_of(std::string_view root, const std::vector<std::string_view>& suffixes) {
    if (root != "LDSM") return 0;
    return has(suffixes, "4") ? 4 : has(suffixes, "2") ? 2 : 1;
}

}  // namespace

const SassOpcode* find_sass_opcode(std::string_view name) {
    const auto* const found =
        std::lower_bound(std::begin(kSassOpcodes), std::end(kSassOpcodes), name,
                         [](const SassOpcode& o, std::string_view n) { return o.name < n; });
    return found != std::end(kSassOpcodes) && found->name == name ? found : nullptr;
}

void check_modelled(std::string_view mnemonic) {
    const std::string_view root = mnemonic.substr(0, mnemonic.find('.'));
    const auto* const found =
        std::lower_bound(std::begin(kUnmodelled), std::end(kUnmodelled), root,
                         [](const UnmodelledOpcode& o, std::string_view n) { return o.name < n; });
    if (found == std::end(kUnmodelled) || found->name != root) return;
    throw ConfigError("got " + in_quotes(mnemonic) + ", which is not modelled (" +
                      std::string(found->kind) + "), expected instructions of Volta to Ampere");
}

AddressRule address_rule(const SassOpcode& opcode) {
    switch (opcode.op_class) {
        case C::kLoad:
        case C::kStore:
        case C::kAtomic:
        case C::kAsyncCopy:
            return opcode.space == S::kConstant || opcode.name == "ARRIVES"
                       ? AddressRule::kOptional
                       : AddressRule::kRequired;
        case C::kMemoryBarrier:
            return AddressRule::kOptional;
        default:
            return opcode.space == S::kNone ? AddressRule::kForbidden : AddressRule::kOptional;
    }
}

SassMnemonic parse_sass_mnemonic(std::string_view text) {
    if (text.size() > kLongestMnemonic) {
        throw ConfigError("got " + in_quotes(text) + ", expected an opcode");
    }
    const std::string_view root = text.substr(0, text.find('.'));
    SassMnemonic mnemonic;
    mnemonic.opcode = find_sass_opcode(root);
    if (mnemonic.opcode == nullptr) {
        check_modelled(text);
        std::vector<std::string_view> known;
        for (const SassOpcode& opcode : kSassOpcodes) known.push_back(opcode.name);
        throw ConfigError("unknown opcode " + in_quotes(text) + did_you_mean(root, known));
    }
    std::vector<std::string_view> suffixes;
    for (std::string_view rest = text.substr(root.size()); !rest.empty();) {
        rest.remove_prefix(1);
        suffixes.push_back(rest.substr(0, rest.find('.')));
        rest.remove_prefix(suffixes.back().size());
    }
    mnemonic.text = text;
    mnemonic.access_bytes = access_bytes_of(root, suffixes);
    mnemonic.bypasses_l1 = root == "LDGSTS" ? has(suffixes, "BYPASS")
                                            : has(suffixes, "STRONG") && has(suffixes, "GPU");
    mnemonic.fp16_sums =
        text.find(".F32") == std::string_view::npos && text.find(".F16") != std::string_view::npos;
    mnemonic.shape = shape_of(root, suffixes, mnemonic.fp16_sums);
    mnemonic.matrices = matrices_of(root, suffixes);
    return mnemonic;
}

}  // namespace tessera
