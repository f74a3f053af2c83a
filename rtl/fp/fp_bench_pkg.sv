// SPDX-License-Identifier: Apache-2.0
// Lanes of the test bench's top.
package fp_bench_pkg;

  localparam int unsigned MulLanes = 64;
  localparam int unsigned AddLanes = 16;

endpackage
