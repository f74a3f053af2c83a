/* Uses the installed golden library from C: header, library and target, without SystemC. */
#include <stdio.h>
#include <tessera_golden.h>

int main(void) {
    const uint16_t two = 0x4000; /* FP16 */
    const uint32_t six = 0x40c00000u;
    const uint32_t seven = 0x40e00000u;
    const uint16_t b[4] = {0x4200, 0x4200, 0x4200, 0x4200}; /* 3 */
    const uint32_t c[4] = {0x3f800000u, 0, 0, 0};           /* 1, 0, 0, 0 */
    uint32_t d[4];
    if (tessera_golden_abi() != TESSERA_GOLDEN_ABI) return 1;
    if (tessera_golden_feop(two, b, c, d) != TESSERA_GOLDEN_OK) {
        puts(tessera_golden_message());
        return 1;
    }
    return d[0] == seven && d[3] == six ? 0 : 1;
}
