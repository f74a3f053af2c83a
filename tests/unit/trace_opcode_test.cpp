// Does the opcode table find its mnemonics, widths and neighbours?
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sc_models/common/error.h"
#include "sc_models/trace/opcode_table.h"

namespace tessera {
namespace {

using testing::HasSubstr;

SassClass class_of(std::string_view text) {
    return parse_sass_mnemonic(text).opcode->op_class;
}
MemorySpace space_of(std::string_view text) {
    return parse_sass_mnemonic(text).opcode->space;
}
int bytes_of(std::string_view text) {
    return parse_sass_mnemonic(text).access_bytes;
}

TEST(TraceOpcode, OnlyTheFirstTokenSelectsTheClass) {
    EXPECT_EQ(class_of("HMMA.884.F32.F32.STEP1"), SassClass::kTensor);
    EXPECT_EQ(class_of("IMMA.8816.S8.S8"), SassClass::kTensor);
    EXPECT_EQ(class_of("FFMA"), SassClass::kFp32);
    EXPECT_EQ(class_of("DFMA"), SassClass::kFp64);
    EXPECT_EQ(class_of("HFMA2.MMA"), SassClass::kHalf);
    EXPECT_EQ(class_of("MUFU.RCP"), SassClass::kSpecialFunction);
    EXPECT_EQ(class_of("IMAD.WIDE"), SassClass::kInteger);
    EXPECT_EQ(class_of("UMOV"), SassClass::kUniform);
    EXPECT_EQ(class_of("BRA"), SassClass::kBranch);
    EXPECT_EQ(class_of("BAR.SYNC"), SassClass::kBarrier);
    EXPECT_EQ(class_of("MEMBAR.SC.GPU"), SassClass::kMemoryBarrier);
    EXPECT_EQ(class_of("DEPBAR.LE"), SassClass::kDependencyBarrier);
    EXPECT_EQ(class_of("EXIT"), SassClass::kExit);
    EXPECT_EQ(class_of("LDGSTS.E.BYPASS.128"), SassClass::kAsyncCopy);
}

TEST(TraceOpcode, MemorySpaces) {
    EXPECT_EQ(space_of("LDG.E"), MemorySpace::kGlobal);
    EXPECT_EQ(space_of("STL.64"), MemorySpace::kLocal);
    EXPECT_EQ(space_of("LDSM.16.M88.4"), MemorySpace::kShared);
    EXPECT_EQ(space_of("ATOMS.ADD"), MemorySpace::kShared);
    EXPECT_EQ(space_of("LD.E"), MemorySpace::kGeneric);
    EXPECT_EQ(space_of("LDC.64"), MemorySpace::kConstant);
    EXPECT_EQ(space_of("RED.E.ADD.STRONG.GPU"), MemorySpace::kGlobal);
    EXPECT_EQ(space_of("FADD"), MemorySpace::kNone);
}

TEST(TraceOpcode, AccessWidthIsTheNumericSuffix) {
    EXPECT_EQ(bytes_of("LDG.E.SYS"), 4);
    EXPECT_EQ(bytes_of("LDG.E.128.SYS"), 16);
    EXPECT_EQ(bytes_of("LDG.E.U8.SYS"), 1);
    EXPECT_EQ(bytes_of("LDS.S16"), 2);
    EXPECT_EQ(bytes_of("LDS.U.32"), 4);
    EXPECT_EQ(bytes_of("STG.E.64.SYS"), 8);
    EXPECT_EQ(bytes_of("RED.E.ADD.F64.RN.STRONG.GPU"), 8);
    EXPECT_EQ(bytes_of("ATOM.E.ADD.F16x2.RN"), 4);
    EXPECT_EQ(bytes_of("LDSM.16.M88.4"), 16);
    EXPECT_EQ(bytes_of("LDGSTS.E.LTC128B.128"), 16);
    EXPECT_EQ(bytes_of("LDG.E.96"), 0) << "no width of an access";
}

TEST(TraceOpcode, StrongGpuBypassesL1) {
    EXPECT_TRUE(parse_sass_mnemonic("LDG.E.STRONG.GPU").bypasses_l1);
    EXPECT_FALSE(parse_sass_mnemonic("LDG.E.STRONG.CTA").bypasses_l1);
    EXPECT_FALSE(parse_sass_mnemonic("LDG.E.SYS").bypasses_l1);
}

/// m x n x k of the shape; a step of HMMA.884 is a quarter of the warp's four m8n8k4, or a half.
TEST(TraceOpcode, ProductsOfEveryShape) {
    const auto products_of = [](std::string_view text) {
        const std::optional<MmaShape> shape = parse_sass_mnemonic(text).shape;
        return shape ? text_of(*shape).products : 0U;
    };
    const auto shape_of = [](std::string_view text) { return parse_sass_mnemonic(text).shape; };
    EXPECT_EQ(products_of("HMMA.884.F32.F32.STEP0"), 256U);
    EXPECT_EQ(products_of("HMMA.884.F16.F16.STEP1"), 512U);
    EXPECT_EQ(products_of("HMMA.1688.F32"), 1024U);
    EXPECT_EQ(products_of("HMMA.1688.F16"), 1024U);
    EXPECT_EQ(products_of("HMMA.16816.F32"), 2048U);
    EXPECT_EQ(products_of("HMMA.16816.F32.BF16"), 2048U);
    EXPECT_EQ(shape_of("HMMA.16816.F16"), MmaShape::kHmma16816F16);
    EXPECT_EQ(shape_of("HMMA.16816.F32.BF16"), MmaShape::kHmma16816Bf16);
    EXPECT_EQ(shape_of("HMMA.1684.F32.TF32"), MmaShape::kHmma1684Tf32);
    EXPECT_EQ(shape_of("HMMA.1688.F32.TF32"), MmaShape::kHmma1688Tf32);
    EXPECT_EQ(shape_of("IMMA.16832.S8.S8"), MmaShape::kImma16832);
    EXPECT_EQ(shape_of("HMMA.SP.16832.F32"), MmaShape::kHmmaSp16832);
    EXPECT_EQ(shape_of("IMMA.SP.16864.S8.S8"), MmaShape::kImmaSp16864);
    for (const char* const none : {"HMMA.SP.16816.F16", "HMMA", "HMMA.F32", "IMMA.16816.S4.S4",
                                   "BMMA.168256.AND.POPC", "DMMA.884", "FFMA"}) {
        EXPECT_EQ(products_of(none), 0U) << none;
    }
}

TEST(TraceOpcode, MatricesOfLdsm) {
    EXPECT_EQ(parse_sass_mnemonic("LDSM.16.M88").matrices, 1);
    EXPECT_EQ(parse_sass_mnemonic("LDSM.16.MT88.2").matrices, 2);
    EXPECT_EQ(parse_sass_mnemonic("LDSM.16.M88.4").matrices, 4);
    EXPECT_EQ(parse_sass_mnemonic("LDS.64").matrices, 0);
}

TEST(TraceOpcode, UnknownOpcodeSuggestsTheNearest) {
    try {
        (void)parse_sass_mnemonic("FFNA.FTZ");
        FAIL() << "accepted";
    } catch (const ConfigError& error) {
        EXPECT_THAT(error.what(), HasSubstr("unknown opcode 'FFNA.FTZ' (did you mean 'FFMA'?)"));
    }
    EXPECT_EQ(find_sass_opcode("FFMA.FTZ"), nullptr);
    EXPECT_EQ(find_sass_opcode(""), nullptr);
    EXPECT_THROW((void)parse_sass_mnemonic(std::string(1000, 'F')), ConfigError);
}

TEST(TraceOpcode, AddressesOnlyWhereTheyBelong) {
    EXPECT_EQ(address_rule(*find_sass_opcode("LDG")), AddressRule::kRequired);
    EXPECT_EQ(address_rule(*find_sass_opcode("ATOMS")), AddressRule::kRequired);
    EXPECT_EQ(address_rule(*find_sass_opcode("LDC")), AddressRule::kOptional);
    EXPECT_EQ(address_rule(*find_sass_opcode("TEX")), AddressRule::kOptional);
    EXPECT_EQ(address_rule(*find_sass_opcode("CCTL")), AddressRule::kOptional);
    EXPECT_EQ(address_rule(*find_sass_opcode("IADD3")), AddressRule::kForbidden);
}

}  // namespace
}  // namespace tessera
