// Copyright the Tessera authors.
// SPDX-License-Identifier: Apache-2.0
//
// Replacement of two packages in proofs: a pipe of three cycles, tractable for a solver.
package id_generator_pkg;

  localparam int unsigned PacketBits  = 256;
  localparam int unsigned AddressBits = 64;
  localparam int unsigned ElementBits = 48;
  localparam int unsigned BatchBits   = 10;
  localparam int unsigned TagBits     = 8;
  localparam int unsigned IdLatency   = 3;

  typedef enum logic [3:0] {
    BypassNone = 4'd0,
    BypassOff  = 4'd1
  } bypass_e;

  typedef enum logic [3:0] {
    PacketGood = 4'd0
  } packet_error_e;

endpackage

package duplo_core_pkg;

  localparam int unsigned DomainBits  = 24;
  localparam int unsigned TagBits     = 8;
  localparam int unsigned CoreLatency = 5;

  typedef enum logic [1:0] {
    OpLoad  = 2'd0,
    OpFresh = 2'd1,
    OpEnd   = 2'd2
  } op_e;

  typedef enum logic [2:0] {
    KindHit    = 3'd0,
    KindZero   = 3'd1,
    KindMiss   = 3'd2,
    KindBypass = 3'd3,
    KindEnded  = 3'd4
  } kind_e;

endpackage
