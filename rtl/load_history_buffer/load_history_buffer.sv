// SPDX-License-Identifier: Apache-2.0
// Load history buffer: set-associative, least recently used entry replaced, one operation a cycle.
// Entry e lies in bank e mod MAX_WAYS, row e / MAX_WAYS, so one row holds all ways of a set. See
// README.md for timing.
module load_history_buffer #(
  parameter int unsigned MAX_ENTRIES = 2048,
  parameter int unsigned MAX_WAYS    = 8,
  parameter int unsigned PHYS_BITS   = 14
) (
  input  logic                                            clk_i,
  input  logic                                            rst_ni,

  // Organisation, or only empties the buffer; waits until no operation is under way.
  input  logic                                            setup_valid_i,
  output logic                                            setup_ready_o,
  input  logic                                            setup_keep_i,  // empty it, no more
  input  logic [3:0]                                      setup_log_sets_i,
  input  logic [2:0]                                      setup_log_ways_i,
  input  logic [load_history_buffer_pkg::ShiftBits-1:0]   setup_shift_i,
  input  logic                                            setup_fold_i,
  output logic                                            setup_error_o,  // it does not fit

  input  logic                                            in_valid_i,
  output logic                                            in_ready_o,
  input  logic [1:0]                                      op_i,  // op_e
  input  logic [load_history_buffer_pkg::ElementBits-1:0] element_i,
  input  logic [load_history_buffer_pkg::BatchBits-1:0]   batch_i,
  input  logic [load_history_buffer_pkg::OwnerBits-1:0]   owner_i,
  input  logic [PHYS_BITS-1:0]                            phys_i,

  output logic                                            out_valid_o,
  input  logic                                            out_ready_i,
  // Look-up: hit. Insertion: an entry was replaced. Release: an entry named the register.
  output logic                                            found_o,
  output logic                                            same_key_o,  // replaced: of the same key
  output logic [PHYS_BITS-1:0]                            phys_o  // hit or replaced, else 0
);

  // For the C++ side only.
  // verilator lint_off UNUSEDPARAM
  localparam int unsigned Latency /*verilator public*/    = load_history_buffer_pkg::LookupLatency;
  localparam int unsigned MaxEntries /*verilator public*/ = MAX_ENTRIES;
  localparam int unsigned MaxWays /*verilator public*/    = MAX_WAYS;
  localparam int unsigned PhysBits /*verilator public*/   = PHYS_BITS;
  // verilator lint_on UNUSEDPARAM
  localparam int unsigned LogWays   = $clog2(MAX_WAYS);
  localparam int unsigned EntryBits = $clog2(MAX_ENTRIES);
  localparam int unsigned Rows      = MAX_ENTRIES / MAX_WAYS;
  localparam int unsigned RowBits   = EntryBits - LogWays;
  localparam int unsigned Pairs     = MAX_WAYS * (MAX_WAYS - 1) / 2;
  localparam int unsigned KeyBits   = load_history_buffer_pkg::ElementBits +
                                      load_history_buffer_pkg::BatchBits +
                                      load_history_buffer_pkg::OwnerBits;

  // 1. Organisation; emptying walks over the rows in use.
  logic                                          ready_d, ready_q;  // there is an organisation
  logic                                          error_d, error_q;
  logic                                          walk_d, walk_q;
  logic [RowBits-1:0]                            walk_row_d, walk_row_q, last_row_d, last_row_q;
  logic [3:0]                                    log_sets_d, log_sets_q;
  logic [2:0]                                    log_ways_d, log_ways_q;
  logic [load_history_buffer_pkg::ShiftBits-1:0] shift_d, shift_q;
  logic                                          fold_d, fold_q;

  logic       read_valid_d, read_valid_q, act_valid_d, act_valid_q;
  logic       advance, take, setup, fits;
  logic [4:0] log_entries;

  assign log_entries   = {1'b0, setup_log_sets_i} + {2'b0, setup_log_ways_i};
  assign fits          = log_entries <= 5'(EntryBits) && setup_log_ways_i <= 3'(LogWays);
  assign advance       = out_ready_i || !act_valid_q;
  assign setup_ready_o = !walk_q && !read_valid_q && !act_valid_q;
  assign in_ready_o    = advance && ready_q && !walk_q && !setup_valid_i;
  assign take          = in_valid_i && in_ready_o;
  assign setup         = setup_valid_i && setup_ready_o;
  assign setup_error_o = error_q;

  always_comb begin
    ready_d    = ready_q;
    error_d    = error_q;
    walk_d     = walk_q;
    walk_row_d = walk_row_q;
    last_row_d = last_row_q;
    log_sets_d = log_sets_q;
    log_ways_d = log_ways_q;
    shift_d    = shift_q;
    fold_d     = fold_q;
    if (setup && !setup_keep_i) begin
      ready_d    = fits;
      error_d    = !fits;
      log_sets_d = setup_log_sets_i;
      log_ways_d = setup_log_ways_i;
      shift_d    = setup_shift_i;
      fold_d     = setup_fold_i;
      last_row_d = RowBits'(~({(EntryBits + 1){1'b1}} << log_entries) >> LogWays);
      walk_d     = fits;
    end else if (setup) begin
      walk_d = ready_q;
    end else if (walk_q) begin
      walk_row_d = walk_row_q + 1'b1;
      if (walk_row_q == last_row_q) begin
        walk_row_d = '0;
        walk_d     = 1'b0;
      end
    end
  end

  // 2. The operation taken finds its row: by the set of its key, or by the register's back pointer.
  // That may be stale, of a register no entry names any more; the row itself shows it.
  logic [EntryBits-1:0] set, first_entry;
  lhb_set_index #(
    .INDEXBITS(EntryBits),
    .LOGBITS  (4)
  ) u_set_index (
    .element_i,
    .batch_i,
    .shift_i   (shift_q),
    .fold_i    (fold_q),
    .log_sets_i(log_sets_q),
    .set_o     (set)
  );
  assign first_entry = set << log_ways_q;

  logic [RowBits-1:0] back_row;
  lhb_memory #(
    .WIDTH(RowBits),
    .DEPTH(2 ** PHYS_BITS)
  ) u_back_pointer (
    .clk_i,
    .write_i        (take && op_i == load_history_buffer_pkg::OpInsert),
    .write_address_i(phys_i),
    .write_data_i   (first_entry[EntryBits-1:LogWays]),
    .read_i         (take && op_i == load_history_buffer_pkg::OpRelease),
    .read_address_i (phys_i),
    .read_data_o    (back_row)
  );

  // 3. Its row is read.
  logic [1:0]           read_op_d, read_op_q, act_op_d, act_op_q;
  logic [KeyBits-1:0]   read_key_d, read_key_q, act_key_d, act_key_q;
  logic [PHYS_BITS-1:0] read_phys_d, read_phys_q, act_phys_d, act_phys_q;
  logic [EntryBits-1:0] read_entry_d, read_entry_q;
  logic [RowBits-1:0]   row, act_row_d, act_row_q;
  logic [MAX_WAYS-1:0]  lanes, act_lanes_d, act_lanes_q;
  logic                 read;

  assign read  = read_valid_q && advance;
  assign row   = (read_op_q == load_history_buffer_pkg::OpRelease) ? back_row
                                                                   : read_entry_q[EntryBits-1:LogWays];
  // The banks of the set; a release looks at the whole row, unless that is one this organisation
  // does not use.
  assign lanes = (read_op_q == load_history_buffer_pkg::OpRelease)
                 ? {MAX_WAYS{back_row <= last_row_q}}
                 : MAX_WAYS'(~({MAX_WAYS{1'b1}} << (4'd1 << log_ways_q)) << read_entry_q[LogWays-1:0]);

  // 4. It acts on the row.
  logic [MAX_WAYS-1:0]           valid, same_key, names, oldest, vacant, first_vacant, chosen, used;
  logic [Pairs-1:0]              order, next_order;
  logic [MAX_WAYS*PHYS_BITS-1:0] registers;
  logic [PHYS_BITS-1:0]          held;
  logic                          lookup, insert, release_op, write;
  logic [MAX_WAYS-1:0]           next_valid;
  int unsigned                   b;

  for (genvar i = 0; i < MAX_WAYS; i++) begin : gen_bank
    logic [KeyBits-1:0] key;
    lhb_memory #(
      .WIDTH(KeyBits),
      .DEPTH(Rows)
    ) u_key (
      .clk_i,
      .write_i        (write && insert && chosen[i]),
      .write_address_i(act_row_q),
      .write_data_i   (act_key_q),
      .read_i         (read && lanes[i] && read_op_q != load_history_buffer_pkg::OpRelease),
      .read_address_i (row),
      .read_data_o    (key)
    );
    lhb_memory #(
      .WIDTH(PHYS_BITS),
      .DEPTH(Rows)
    ) u_register (
      .clk_i,
      .write_i        (write && insert && chosen[i]),
      .write_address_i(act_row_q),
      .write_data_i   (act_phys_q),
      .read_i         (read && lanes[i]),
      .read_address_i (row),
      .read_data_o    (registers[PHYS_BITS*i +: PHYS_BITS])
    );
    assign same_key[i] = act_lanes_q[i] && valid[i] && key == act_key_q;
    assign names[i]   = act_lanes_q[i] && valid[i] && registers[PHYS_BITS*i +: PHYS_BITS] == act_phys_q;
  end

  lhb_memory #(
    .WIDTH(MAX_WAYS),
    .DEPTH(Rows)
  ) u_valid (
    .clk_i,
    .write_i        (walk_q || (write && (insert || release_op))),
    .write_address_i(walk_q ? walk_row_q : act_row_q),
    .write_data_i   (walk_q ? {MAX_WAYS{1'b0}} : next_valid),
    .read_i         (read),
    .read_address_i (row),
    .read_data_o    (valid)
  );
  lhb_memory #(
    .WIDTH(Pairs),
    .DEPTH(Rows)
  ) u_order (
    .clk_i,
    .write_i        (write && (lookup || insert)),
    .write_address_i(act_row_q),
    .write_data_i   (next_order),
    .read_i         (read),
    .read_address_i (row),
    .read_data_o    (order)
  );
  lhb_recency #(
    .BANKS   (MAX_WAYS),
    .WAYSBITS(3)
  ) u_recency (
    .order_i   (order),
    .log_ways_i(log_ways_q),
    .used_i    (used),
    .order_o   (next_order),
    .oldest_o  (oldest)
  );

  assign lookup     = act_op_q == load_history_buffer_pkg::OpLookup;
  assign insert     = act_op_q == load_history_buffer_pkg::OpInsert;
  assign release_op = act_op_q == load_history_buffer_pkg::OpRelease;
  assign write      = act_valid_q && out_ready_i;

  assign vacant       = act_lanes_q & ~valid;
  assign first_vacant = vacant & (~vacant + 1'b1);

  always_comb begin
    chosen     = '0;
    next_valid = valid;
    unique case (act_op_q)
      load_history_buffer_pkg::OpLookup: begin
        chosen = same_key;
      end
      load_history_buffer_pkg::OpInsert: begin
        chosen = (same_key != '0) ? same_key
               : (vacant != '0) ? first_vacant : act_lanes_q & oldest;
        next_valid = valid | chosen;
      end
      load_history_buffer_pkg::OpRelease: begin
        chosen     = names;
        next_valid = valid & ~chosen;
      end
      default: ;
    endcase
    used = release_op ? '0 : chosen;
    // What the entry chosen held.
    held = '0;
    for (b = 0; b < MAX_WAYS; b = b + 1) begin
      if (chosen[b] && valid[b]) held = held | registers[PHYS_BITS*b +: PHYS_BITS];
    end
  end

  assign out_valid_o = act_valid_q;
  assign found_o     = (chosen & valid) != '0;
  assign same_key_o  = insert && same_key != '0;
  assign phys_o      = release_op ? '0 : held;

  // 5. Registers.
  always_comb begin
    read_valid_d = read_valid_q;
    read_op_d    = read_op_q;
    read_key_d   = read_key_q;
    read_phys_d  = read_phys_q;
    read_entry_d = read_entry_q;
    act_valid_d  = act_valid_q;
    act_op_d     = act_op_q;
    act_key_d    = act_key_q;
    act_phys_d   = act_phys_q;
    act_row_d    = act_row_q;
    act_lanes_d  = act_lanes_q;
    if (advance) begin
      read_valid_d = take;
      read_op_d    = op_i;
      read_key_d   = {owner_i, batch_i, element_i};
      read_phys_d  = phys_i;
      read_entry_d = first_entry;
      act_valid_d  = read_valid_q;
      act_op_d     = read_op_q;
      act_key_d    = read_key_q;
      act_phys_d   = read_phys_q;
      act_row_d    = row;
      act_lanes_d  = lanes;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      ready_q      <= 1'b0;
      error_q      <= 1'b0;
      walk_q       <= 1'b0;
      walk_row_q   <= '0;
      last_row_q   <= '0;
      log_sets_q   <= '0;
      log_ways_q   <= '0;
      shift_q      <= '0;
      fold_q       <= 1'b0;
      read_valid_q <= 1'b0;
      read_op_q    <= '0;
      read_key_q   <= '0;
      read_phys_q  <= '0;
      read_entry_q <= '0;
      act_valid_q  <= 1'b0;
      act_op_q     <= '0;
      act_key_q    <= '0;
      act_phys_q   <= '0;
      act_row_q    <= '0;
      act_lanes_q  <= '0;
    end else begin
      ready_q      <= ready_d;
      error_q      <= error_d;
      walk_q       <= walk_d;
      walk_row_q   <= walk_row_d;
      last_row_q   <= last_row_d;
      log_sets_q   <= log_sets_d;
      log_ways_q   <= log_ways_d;
      shift_q      <= shift_d;
      fold_q       <= fold_d;
      read_valid_q <= read_valid_d;
      read_op_q    <= read_op_d;
      read_key_q   <= read_key_d;
      read_phys_q  <= read_phys_d;
      read_entry_q <= read_entry_d;
      act_valid_q  <= act_valid_d;
      act_op_q     <= act_op_d;
      act_key_q    <= act_key_d;
      act_phys_q   <= act_phys_d;
      act_row_q    <= act_row_d;
      act_lanes_q  <= act_lanes_d;
    end
  end

endmodule
