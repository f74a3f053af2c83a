// Copyright the Tessera authors.
// SPDX-License-Identifier: Apache-2.0
//
// Load history buffer: set-associative, least recently used entry replaced, one operation a cycle.
// Entry e lies in bank e mod MaxWays, row e / MaxWays, so one row holds all ways of a set. See
// README.md for timing.
module load_history_buffer #(
  parameter int unsigned MaxEntries /*verilator public*/ = 2048,  // power of two
  parameter int unsigned MaxWays /*verilator public*/    = 8,     // power of two
  parameter int unsigned PhysBits /*verilator public*/   = 14
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
  input  logic [PhysBits-1:0]                             phys_i,

  output logic                                            out_valid_o,
  input  logic                                            out_ready_i,
  // Look-up: hit. Insertion: an entry was replaced. Release: an entry named the register.
  output logic                                            found_o,
  output logic                                            same_key_o,  // replaced: of the same key
  output logic [PhysBits-1:0]                             phys_o  // hit or replaced, else 0
);

  if (MaxWays != 2 && MaxWays != 4 && MaxWays != 8) begin : gen_check_max_ways
    $error("load_history_buffer: MaxWays must be 2, 4 or 8");
  end

  if (MaxEntries < 2 * MaxWays || MaxEntries > 32768 || (MaxEntries & (MaxEntries - 1)) != 0) begin : gen_check_max_entries
    $error("load_history_buffer: MaxEntries must be a power of two from 2 * MaxWays to 32768");
  end

  if (PhysBits < 1 || PhysBits > 20) begin : gen_check_phys_bits
    $error("load_history_buffer: PhysBits must be 1 to 20");
  end

  if (load_history_buffer_pkg::LookupLatency != 2) begin : gen_check_lookup_latency
    $error("load_history_buffer: LookupLatency of the package must be 2");
  end

  // For the C++ side only.
  // verilator lint_off UNUSEDPARAM
  localparam int unsigned Latency /*verilator public*/ = load_history_buffer_pkg::LookupLatency;
  // verilator lint_on UNUSEDPARAM
  localparam int unsigned LogWays   = $clog2(MaxWays);
  localparam int unsigned EntryBits = $clog2(MaxEntries);
  localparam int unsigned Rows      = MaxEntries / MaxWays;
  // At least 1, so that elaboration gets as far as the checks.
  localparam int unsigned RowBits   = (EntryBits > LogWays) ? EntryBits - LogWays : 1;
  localparam int unsigned Pairs     = (MaxWays > 1) ? MaxWays * (MaxWays - 1) / 2 : 1;
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
    .IndexBits(EntryBits),
    .LogBits  (4)
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
    .Width(RowBits),
    .Depth(2 ** PhysBits)
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
  typedef struct packed {
    logic [1:0]           op;  // op_e
    logic [EntryBits-1:0] entry;  // the first of the set
    logic [PhysBits-1:0]  phys;
    logic [KeyBits-1:0]   key;
  } read_t;
  typedef struct packed {
    logic [1:0]          op;
    logic [RowBits-1:0]  row;
    logic [MaxWays-1:0]  lanes;
    logic [PhysBits-1:0] phys;
    logic [KeyBits-1:0]  key;
  } act_t;

  read_t              read_d, read_q;
  act_t               act_d, act_q;
  logic [RowBits-1:0] row;
  logic [MaxWays-1:0] lanes;
  logic               read;

  assign read  = read_valid_q && advance;
  assign row   = (read_q.op == load_history_buffer_pkg::OpRelease) ? back_row
                                                                   : read_q.entry[EntryBits-1:LogWays];
  // The banks of the set; a release looks at the whole row, unless that is one this organisation
  // does not use.
  assign lanes = (read_q.op == load_history_buffer_pkg::OpRelease)
                 ? {MaxWays{back_row <= last_row_q}}
                 : MaxWays'(~({MaxWays{1'b1}} << (4'd1 << log_ways_q)) << read_q.entry[LogWays-1:0]);

  // 4. It acts on the row.
  logic [MaxWays-1:0]          valid, same_key, names, oldest, vacant, first_vacant, chosen, used;
  logic [Pairs-1:0]            order, next_order;
  logic [MaxWays*PhysBits-1:0] registers;
  logic [PhysBits-1:0]         held;
  logic                        lookup, insert, release_op, write;
  logic [MaxWays-1:0]          next_valid;
  int unsigned                 b;

  for (genvar i = 0; i < MaxWays; i++) begin : gen_bank
    logic [KeyBits-1:0] key;
    lhb_memory #(
      .Width(KeyBits),
      .Depth(Rows)
    ) u_key (
      .clk_i,
      .write_i        (write && insert && chosen[i]),
      .write_address_i(act_q.row),
      .write_data_i   (act_q.key),
      .read_i         (read && lanes[i] && read_q.op != load_history_buffer_pkg::OpRelease),
      .read_address_i (row),
      .read_data_o    (key)
    );
    lhb_memory #(
      .Width(PhysBits),
      .Depth(Rows)
    ) u_register (
      .clk_i,
      .write_i        (write && insert && chosen[i]),
      .write_address_i(act_q.row),
      .write_data_i   (act_q.phys),
      .read_i         (read && lanes[i]),
      .read_address_i (row),
      .read_data_o    (registers[PhysBits*i +: PhysBits])
    );
    assign same_key[i] = act_q.lanes[i] && valid[i] && key == act_q.key;
    assign names[i]   = act_q.lanes[i] && valid[i] && registers[PhysBits*i +: PhysBits] == act_q.phys;
  end

  lhb_memory #(
    .Width(MaxWays),
    .Depth(Rows)
  ) u_valid (
    .clk_i,
    .write_i        (walk_q || (write && (insert || release_op))),
    .write_address_i(walk_q ? walk_row_q : act_q.row),
    .write_data_i   (walk_q ? {MaxWays{1'b0}} : next_valid),
    .read_i         (read),
    .read_address_i (row),
    .read_data_o    (valid)
  );
  lhb_memory #(
    .Width(Pairs),
    .Depth(Rows)
  ) u_order (
    .clk_i,
    .write_i        (write && (lookup || insert)),
    .write_address_i(act_q.row),
    .write_data_i   (next_order),
    .read_i         (read),
    .read_address_i (row),
    .read_data_o    (order)
  );
  lhb_recency #(
    .Banks   (MaxWays),
    .WaysBits(3)
  ) u_recency (
    .order_i   (order),
    .log_ways_i(log_ways_q),
    .used_i    (used),
    .order_o   (next_order),
    .oldest_o  (oldest)
  );

  assign lookup     = act_q.op == load_history_buffer_pkg::OpLookup;
  assign insert     = act_q.op == load_history_buffer_pkg::OpInsert;
  assign release_op = act_q.op == load_history_buffer_pkg::OpRelease;
  assign write      = act_valid_q && out_ready_i;

  assign vacant       = act_q.lanes & ~valid;
  assign first_vacant = vacant & (~vacant + 1'b1);

  always_comb begin
    chosen     = '0;
    next_valid = valid;
    unique case (act_q.op)
      load_history_buffer_pkg::OpLookup: begin
        chosen = same_key;
      end
      load_history_buffer_pkg::OpInsert: begin
        chosen = (same_key != '0) ? same_key
               : (vacant != '0) ? first_vacant : act_q.lanes & oldest;
        next_valid = valid | chosen;
      end
      load_history_buffer_pkg::OpRelease: begin
        chosen     = names;
        next_valid = valid & ~chosen;
      end
      default: ;
    endcase
    used = release_op ? '0 : chosen;
    // Register of the chosen entry.
    held = '0;
    for (b = 0; b < MaxWays; b = b + 1) begin
      if (chosen[b] && valid[b]) held = held | registers[PhysBits*b +: PhysBits];
    end
  end

  assign out_valid_o = act_valid_q;
  assign found_o     = (chosen & valid) != '0;
  assign same_key_o  = insert && same_key != '0;
  assign phys_o      = release_op ? '0 : held;

  // 5. Registers.
  always_comb begin
    read_valid_d = read_valid_q;
    read_d       = read_q;
    act_valid_d  = act_valid_q;
    act_d        = act_q;
    if (advance) begin
      read_valid_d = take;
      read_d       = {op_i, first_entry, phys_i, owner_i, batch_i, element_i};
      act_valid_d  = read_valid_q;
      act_d        = {read_q.op, row, lanes, read_q.phys, read_q.key};
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
      read_q       <= '0;
      act_valid_q  <= 1'b0;
      act_q        <= '0;
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
      read_q       <= read_d;
      act_valid_q  <= act_valid_d;
      act_q        <= act_d;
    end
  end

endmodule
