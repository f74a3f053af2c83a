// Copyright the Tessera authors.
// SPDX-License-Identifier: Apache-2.0
//
// Detection unit: ID generator, load history buffer and rename table as one pipe that takes a unit of
// a fragment in every cycle. See README.md for timing.
module duplo_core #(
  parameter int unsigned UnitBits /*verilator public*/ = 14,
  parameter int unsigned PhysBits /*verilator public*/ = 14
) (
  input  logic                                          clk_i,
  input  logic                                          rst_ni,

  // The start of a kernel programs all three blocks; waits until no unit is under way.
  input  logic                                          setup_valid_i,
  output logic                                          setup_ready_o,
  input  logic [id_generator_pkg::PacketBits-1:0]       setup_packet_i,
  input  logic [duplo_core_pkg::TagBits-1:0]            setup_kernel_tag_i,
  input  logic [3:0]                                    setup_log_sets_i,
  input  logic [2:0]                                    setup_log_ways_i,
  input  logic [load_history_buffer_pkg::ShiftBits-1:0] setup_shift_i,
  input  logic                                          setup_fold_i,
  input  logic [UnitBits:0]                             setup_units_i,
  input  logic [PhysBits:0]                             setup_registers_i,
  output logic                                          setup_error_o,  // a block refused its part

  // Empties the load history buffer; waits likewise.
  input  logic                                          clear_valid_i,
  output logic                                          clear_ready_o,

  input  logic                                          in_valid_i,
  output logic                                          in_ready_o,
  input  logic [1:0]                                    op_i,  // op_e
  input  logic [id_generator_pkg::AddressBits-1:0]      address_i,
  input  logic [UnitBits-1:0]                           unit_i,
  input  logic [duplo_core_pkg::DomainBits-1:0]         domain_i,

  // An answer does not wait.
  output logic                                          out_valid_o,
  output logic [2:0]                                    kind_o,    // kind_e
  output logic [3:0]                                    bypass_o,  // id_generator_pkg::bypass_e
  output logic [UnitBits-1:0]                           unit_o,
  output logic [PhysBits-1:0]                           phys_o     // the unit's register, else 0
);

  if (UnitBits < 2 || UnitBits > 20) begin : gen_check_unit_bits
    $error("duplo_core: UnitBits must be 2 to 20");
  end

  if (PhysBits < 1 || PhysBits > 20) begin : gen_check_phys_bits
    $error("duplo_core: PhysBits must be 1 to 20");
  end

  if (id_generator_pkg::IdLatency <= rename_table_pkg::OldLatency) begin : gen_check_id_latency
    $error("duplo_core: IdLatency of the package must be more than OldLatency of the rename table");
  end

  if (duplo_core_pkg::CoreLatency !=
      id_generator_pkg::IdLatency + load_history_buffer_pkg::LookupLatency) begin : gen_check_core_latency
    $error("duplo_core: CoreLatency of the package must be that of ID generator and buffer");
  end

  // For the C++ side only.
  // verilator lint_off UNUSEDPARAM
  localparam int unsigned Latency /*verilator public*/ = duplo_core_pkg::CoreLatency;
  // verilator lint_on UNUSEDPARAM
  localparam int unsigned WayBits = 2 + UnitBits + duplo_core_pkg::DomainBits;
  localparam int unsigned Early   = id_generator_pkg::IdLatency - rename_table_pkg::OldLatency;
  localparam int unsigned KeyBits = load_history_buffer_pkg::ElementBits +
                                    load_history_buffer_pkg::BatchBits +
                                    load_history_buffer_pkg::OwnerBits;

  // 1. Set-up of the blocks; units are taken once all of them are ready.
  logic       id_program_ready, id_busy, id_in_ready, id_valid, id_zero;
  logic       lhb_setup_ready, lhb_error, lhb_in_ready, lhb_valid, lhb_found, lhb_same_key;
  logic       table_setup_ready, table_error, table_in_ready, table_valid, table_map_ready;
  logic [3:0] packet_error, id_bypass;
  logic       idle, setup, clear, settling_d, settling_q, ready_d, ready_q, open;
  logic [duplo_core_pkg::TagBits-1:0] tag_d, tag_q;

  logic answer_1_valid_q, answer_2_valid_q, insert_valid_q, release_held_q, release_wanted;

  assign idle = id_program_ready && lhb_setup_ready && table_setup_ready && !answer_1_valid_q &&
                !answer_2_valid_q && !insert_valid_q && !release_held_q;
  assign setup_ready_o = idle && !settling_q;
  assign clear_ready_o = idle && !settling_q && !setup_valid_i;
  assign setup         = setup_valid_i && setup_ready_o;
  assign clear         = clear_valid_i && clear_ready_o;
  assign setup_error_o = !settling_q && (packet_error != id_generator_pkg::PacketGood || lhb_error ||
                                         table_error);
  assign open          = ready_q && !settling_q && !setup_valid_i && !clear_valid_i;

  always_comb begin
    settling_d = settling_q;
    ready_d    = ready_q;
    tag_d      = tag_q;
    if (setup || clear) begin
      settling_d = 1'b1;
      ready_d    = ready_q || setup;
    end else if (settling_q && idle) begin
      settling_d = 1'b0;
      ready_d    = ready_q && packet_error == id_generator_pkg::PacketGood && !lhb_error && !table_error;
    end
    if (setup) tag_d = setup_kernel_tag_i;
  end

  // 2. A unit's id takes IdLatency cycles. Its old register is read so that it comes with the id.
  logic                                      take, leave, advance;
  logic                                      early_valid;
  logic [WayBits-1:0]                        early, head;
  logic [1:0]                                head_op;
  logic [UnitBits-1:0]                       head_unit;
  logic [duplo_core_pkg::DomainBits-1:0]     head_domain;
  logic [id_generator_pkg::ElementBits-1:0]  id_element;
  logic [id_generator_pkg::BatchBits-1:0]    id_batch;
  logic [id_generator_pkg::TagBits-1:0]      id_tag;

  assign in_ready_o = id_in_ready && open;
  assign take       = in_valid_i && in_ready_o;
  assign advance    = leave || !id_valid;

  id_generator u_id_generator (
    .clk_i,
    .rst_ni,
    .program_valid_i(setup),
    .program_ready_o(id_program_ready),
    .packet_i       (setup_packet_i),
    .busy_o         (id_busy),
    .packet_error_o (packet_error),
    .in_valid_i     (take),
    .in_ready_o     (id_in_ready),
    .address_i,
    .tag_i          ('0),
    .out_valid_o    (id_valid),
    .out_ready_i    (leave),
    .element_o      (id_element),
    .batch_o        (id_batch),
    .bypass_o       (id_bypass),
    .zero_o         (id_zero),
    .tag_o          (id_tag)
  );
  delay_line #(.Width(WayBits + 1), .Depth(Early)) u_early (
    .clk_i, .rst_ni, .enable_i(advance), .data_i({take, op_i, unit_i, domain_i}),
    .data_o({early_valid, early})
  );
  delay_line #(.Width(WayBits), .Depth(rename_table_pkg::OldLatency)) u_late (
    .clk_i, .rst_ni, .enable_i(advance), .data_i(early), .data_o(head)
  );
  assign {head_op, head_unit, head_domain} = head;

  // 3. A unit leaves with its look-up, if it has one, in a cycle in which the buffer is free.
  logic               bypassed, looks_up;
  logic [2:0]         head_kind;
  logic [3:0]         head_bypass;
  logic [KeyBits-1:0] head_key;

  always_comb begin
    bypassed    = 1'b0;
    looks_up    = 1'b0;
    head_kind   = duplo_core_pkg::KindEnded;
    head_bypass = id_generator_pkg::BypassNone;
    unique case (head_op)
      duplo_core_pkg::OpLoad: begin
        bypassed    = id_bypass != id_generator_pkg::BypassNone;
        looks_up    = !bypassed && !id_zero;
        head_bypass = id_bypass;
        head_kind   = bypassed ? duplo_core_pkg::KindBypass
                    : id_zero ? duplo_core_pkg::KindZero : duplo_core_pkg::KindMiss;
      end
      duplo_core_pkg::OpFresh: begin
        head_kind   = duplo_core_pkg::KindBypass;
        head_bypass = id_generator_pkg::BypassOff;
      end
      default: ;
    endcase
  end
  assign head_key = {tag_q, head_domain, 32'b0, 6'b0, id_batch, id_element};

  // 4. The buffer executes one operation a cycle: the insertion after a miss, then the release of a
  // register that died, then a look-up. An insertion behind the release of its own unit goes second.
  typedef struct packed {
    logic                looks_up;
    logic [2:0]          kind;  // of a look-up: KindMiss
    logic [3:0]          bypass;
    logic [UnitBits-1:0] slot;
    logic                died;
    logic [PhysBits-1:0] old;
    logic [KeyBits-1:0]  key;
  } answer_t;

  answer_t             answer_1_d, answer_1_q, answer_2_d, answer_2_q;
  logic                died, old_valid, insert_goes, release_goes;
  logic [PhysBits-1:0] died_phys, old, release_phys, release_held_phys_q, lhb_phys, map_phys;
  logic                insert_valid_d, insert_behind_d, insert_behind_q;
  logic [KeyBits-1:0]  insert_key_d, insert_key_q, lhb_key;
  logic [PhysBits-1:0] insert_phys_d, insert_phys_q;
  logic [1:0]          lhb_op;

  assign release_wanted = died || release_held_q;
  assign release_phys   = release_held_q ? release_held_phys_q : died_phys;
  assign insert_goes    = insert_valid_q && !(release_wanted && insert_behind_q);
  assign release_goes   = release_wanted && !insert_goes;
  assign leave          = id_valid && (!release_wanted || release_goes) &&
                          (!looks_up || (!insert_valid_q && !release_wanted));
  assign lhb_op  = insert_goes ? load_history_buffer_pkg::OpInsert
                 : release_goes ? load_history_buffer_pkg::OpRelease
                                : load_history_buffer_pkg::OpLookup;
  assign lhb_key = insert_goes ? insert_key_q : head_key;

  load_history_buffer #(
    .PhysBits(PhysBits)
  ) u_load_history_buffer (
    .clk_i,
    .rst_ni,
    .setup_valid_i   (setup || clear),
    .setup_ready_o   (lhb_setup_ready),
    .setup_keep_i    (clear),
    .setup_log_sets_i,
    .setup_log_ways_i,
    .setup_shift_i,
    .setup_fold_i,
    .setup_error_o   (lhb_error),
    .in_valid_i      (insert_goes || release_goes || (leave && looks_up)),
    .in_ready_o      (lhb_in_ready),
    .op_i            (lhb_op),
    .element_i       (lhb_key[47:0]),
    .batch_i         (lhb_key[63:48]),
    .owner_i         (lhb_key[127:64]),
    .phys_i          (insert_goes ? insert_phys_q : release_phys),
    .out_valid_o     (lhb_valid),
    .out_ready_i     (1'b1),
    .found_o         (lhb_found),
    .same_key_o      (lhb_same_key),
    .phys_o          (lhb_phys)
  );

  // 5. The answer. A unit that finds the register that it gave up itself has missed if that died.
  logic       hit, misses;
  logic [1:0] map_op;

  assign hit    = answer_2_q.looks_up && lhb_found &&
                  !(answer_2_q.died && lhb_phys == answer_2_q.old);
  assign misses = answer_2_valid_q && answer_2_q.looks_up && !hit;
  always_comb begin
    map_op = rename_table_pkg::OpNew;
    if (hit) begin
      map_op = rename_table_pkg::OpShare;
    end else if (answer_2_q.kind == duplo_core_pkg::KindZero ||
                 answer_2_q.kind == duplo_core_pkg::KindEnded) begin
      map_op = rename_table_pkg::OpUnmapped;
    end
  end

  logic [PhysBits:0] free_registers;
  logic [UnitBits:0] mapped_units;
  rename_table #(
    .UnitBits(UnitBits),
    .PhysBits(PhysBits)
  ) u_rename_table (
    .clk_i,
    .rst_ni,
    .setup_valid_i    (setup),
    .setup_ready_o    (table_setup_ready),
    .setup_units_i,
    .setup_registers_i,
    .setup_error_o    (table_error),
    .in_valid_i       (early_valid),
    .in_ready_o       (table_in_ready),
    .unit_i           (early[duplo_core_pkg::DomainBits +: UnitBits]),
    .out_valid_o      (table_valid),
    .out_ready_i      (leave),
    .old_valid_o      (old_valid),
    .old_o            (old),
    .died_o           (died),
    .died_phys_o      (died_phys),
    .map_valid_i      (answer_2_valid_q),
    .map_ready_o      (table_map_ready),
    .map_op_i         (map_op),
    .map_unit_i       (answer_2_q.slot),
    .map_phys_i       (lhb_phys),
    .map_phys_o       (map_phys),
    .free_o           (free_registers),
    .mapped_o         (mapped_units)
  );

  assign out_valid_o = answer_2_valid_q;
  assign kind_o      = hit ? duplo_core_pkg::KindHit : answer_2_q.kind;
  assign bypass_o    = answer_2_q.bypass;
  assign unit_o      = answer_2_q.slot;
  assign phys_o      = map_phys;

  logic unused;
  assign unused = &{1'b0, id_busy, id_tag, old_valid, lhb_in_ready, lhb_valid, lhb_same_key,
                    table_in_ready, table_valid, table_map_ready, free_registers, mapped_units};

  // 6. Registers.
  always_comb begin
    answer_1_d      = {looks_up, head_kind, head_bypass, head_unit, 1'b0, old, head_key};
    answer_2_d      = answer_1_q;
    answer_2_d.died = died;
    insert_valid_d  = insert_valid_q && !insert_goes;
    insert_behind_d = insert_behind_q && !release_goes;
    insert_key_d    = insert_key_q;
    insert_phys_d   = insert_phys_q;
    if (misses) begin
      insert_valid_d  = 1'b1;
      insert_behind_d = release_held_q && !release_goes;
      insert_key_d    = answer_2_q.key;
      insert_phys_d   = map_phys;
    end
  end

  always_ff @(posedge clk_i) begin
    answer_1_q          <= answer_1_d;
    answer_2_q          <= answer_2_d;
    insert_behind_q     <= insert_behind_d;
    insert_key_q        <= insert_key_d;
    insert_phys_q       <= insert_phys_d;
    release_held_phys_q <= release_phys;
    tag_q               <= tag_d;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      settling_q       <= 1'b0;
      ready_q          <= 1'b0;
      answer_1_valid_q <= 1'b0;
      answer_2_valid_q <= 1'b0;
      insert_valid_q   <= 1'b0;
      release_held_q   <= 1'b0;
    end else begin
      settling_q       <= settling_d;
      ready_q          <= ready_d;
      answer_1_valid_q <= leave;
      answer_2_valid_q <= answer_1_valid_q;
      insert_valid_q   <= insert_valid_d;
      release_held_q   <= release_wanted && !release_goes;
    end
  end

endmodule
