// Copyright the Tessera authors.
// SPDX-License-Identifier: Apache-2.0
//
// Constants and types of the detection unit.
package duplo_core_pkg;

  localparam int unsigned DomainBits = 24;  // who may share a register
  localparam int unsigned TagBits    = 8;   // of the kernel

  // From a unit taken to its answer, if the pipe does not stand: the latencies of ID generator and
  // load history buffer.
  localparam int unsigned CoreLatency = 20;

  typedef enum logic [1:0] {
    OpLoad  = 2'd0,  // looked up by its id
    OpFresh = 2'd1,  // loaded without a look-up
    OpEnd   = 2'd2   // has no register from now on
  } op_e;

  typedef enum logic [2:0] {
    KindHit    = 3'd0,
    KindZero   = 3'd1,
    KindMiss   = 3'd2,
    KindBypass = 3'd3,
    KindEnded  = 3'd4
  } kind_e;

endpackage
