#!/usr/bin/python3
"""tools/rtl_formal finds a property that does not hold, names it and keeps the trace, and a cover that is not
reached; and the project's own properties do not hold of RTL that is broken or does nothing.

Errors whose trace takes more than ten seconds to find are tried only if TESSERA_LONG_TESTS is set, as `tools/test --all`
does; each proof keeps a shorter one of both tables.
"""

import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import yaml

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
# Errors that an assertion must find: block and proof, file that is broken, what is replaced by what, the property.
BROKEN = (
    ("assign_table.contents", "assign_table/assign_entries.sv",
     "if (remove_oldest_i) up = '1;", "if (remove_oldest_i) up = '1 << 1;", ""),
    ("assign_table.contents", "assign_table/assign_entries.sv",
     "assign either    = used_q & gen_sm_bit[SmBits-1].same &", "assign either    = used_q &", "taken_in_time"),
    ("assign_table.contents", "assign_table/assign_table.sv",
     "assign inserts    = apply && insert && !pair;", "assign inserts    = apply && insert;", "does_what_it_can"),
    ("accumulation_buffer.control", "accumulation_buffer/accumulation_control.sv",
     "assign row_valid_o = draining_q & empty;", "assign row_valid_o = draining_q;", ""),
    ("accumulation_buffer.fifo", "accumulation_buffer/accumulation_fifo.sv",
     "assign all_o = wanted <= room;", "assign all_o = wanted <= room + 1'b1;", ""),
    ("accumulation_buffer.fifo_order", "accumulation_buffer/accumulation_fifo.sv",
     "PointerBits] = tail + rank[", "PointerBits] = tail - rank[", ""),
    ("accumulation_buffer.bank_order", "accumulation_buffer/accumulation_bank.sv",
     "assign sparse = holds_o & ~(adds_q & (word_q == head_word));", "assign sparse = holds_o;", "adds_in_order"),
    ("accumulation_buffer.bank_order", "accumulation_buffer/accumulation_fifo.sv",
     "PointerBits] = tail + rank[", "PointerBits] = tail - rank[", "adds_in_order"),
    ("accumulation_buffer.turns", "accumulation_buffer/accumulation_control.sv",
     "assign sparse_busy   = holds_i | (adds_i & ~adding_q);", "assign sparse_busy   = holds_i;", ""),
    ("accumulation_buffer.turns", "accumulation_buffer/accumulation_control.sv",
     "assign push_o        = held_q & ~op_q.dense & ~adding_q;", "assign push_o        = held_q & ~op_q.dense;", ""),
    ("accumulation_buffer.control_history", "accumulation_buffer/accumulation_control.sv",
     "held_d = held_q & ~done;", "held_d = held_q & ~dense_o;", "no_work_from_nowhere"),
    ("bitmap_im2col.population", "bitmap_im2col/bitmap_population.sv",
     "{1'b0, bitmap_i[2*g+1]};", "{1'b0, bitmap_i[2*g+1] && g != 5};", "counts_the_ones"),
    ("bitmap_im2col.columns", "bitmap_im2col/bitmap_im2col.sv",
     "AddressBits'(row_q.bitmap[0]);", "AddressBits'(row_q.bitmap[1]);", "begins_at_its_value"),
    ("bitmap_im2col.columns", "bitmap_im2col/bitmap_im2col.sv",
     "assign span = {room[LengthBits-1:1], room[0] & ~row_stride2_i};", "assign span = room;", "has_its_window"),
    ("bitmap_im2col.columns", "bitmap_im2col/bitmap_im2col.sv",
     "assign fits = row_filter_i != '0 && ", "assign fits = ", ""),
    ("bitmap_im2col.columns", "bitmap_im2col/bitmap_im2col.sv",
     "if (column_moves) column_q <= column_d;", "column_q <= column_d;", "stays"),
    ("bitmap_unit.count", "bitmap_unit/bitmap_count.sv",
     "{5'b0, bitmap_i[32*k + n]}", "{5'b0, bitmap_i[32*k + n] & (n != 9)}", "counts_the_ones"),
    ("bitmap_unit.sums", "bitmap_unit/bitmap_count.sv",
     "offset_o[9*k +: 9] = sums[9*(k - 1) +: 9];", "offset_o[9*k +: 9] = sums[9*(k - 1) +: 9] + {8'b0, k == 9};",
     "adds_up_what_is_before"),
    ("bitmap_unit.condense", "bitmap_unit/bitmap_condense.sv", "index_o[5*lane +: 5] |= n[4:0];",
     "index_o[5*lane +: 5] |= n[4:0] ^ {4'b0, n == 7};", ""),
    ("bitmap_unit.sequence", "bitmap_unit/bitmap_unit.sv",
     "k_left_d = k_left_q & (k_left_q - 1'b1);", "k_left_d = k_left_q & (k_left_q - 2'd2);", ""),
    ("bitmap_unit.sequence", "bitmap_unit/bitmap_unit.sv",
     "assign last_column = b_count_k <=", "assign last_column = b_count_k <", ""),
    ("bitmap_unit.sequence", "bitmap_unit/bitmap_unit.sv",
     "last_set    = (k_left_q & (k_left_q - 1'b1)) == '0;", "last_set    = 1'b1;", ""),
    ("duplo_core.joining", "duplo_core/duplo_core.sv",
     "!(answer_2_q.died && lhb_phys == answer_2_q.old);", "1'b1;", "hits_a_live_register"),
    ("duplo_core.joining", "duplo_core/duplo_core.sv",
     "(!looks_up || (!insert_valid_q && !release_wanted));", "(!looks_up || !insert_valid_q);", "hits_a_live_register"),
    ("feop_array.handshakes", "feop/feop_array_control.sv",
     "assign ready_o           = operands_en;", "assign ready_o = 1'b1;", ""),
    ("feop_array.order", "feop/feop_array_control.sv",
     "results_meta_d  = results_load ? operands_meta_q", "results_meta_d  = results_load ? meta_i", ""),
    ("feop_array.data", "feop/feop_array.sv",
     "assign a_d    = operands_load ? a_i : a_q;", "assign a_d    = a_i;", "are_of_its_factors"),
    ("feop_array.data", "feop/feop_array.sv",
     "{BitColumns{a_q[row]}}", "{BitColumns{a_q[row ^ 1]}}", "bits_are_of_its_factors"),
    ("fp.product", "fp/fp16_mul.sv", "{sign, exponent, normal[20:0], 2'b0};", "{sign, 31'b0};", "is_exact"),
    ("fp.product", "fp/fp16_mul.sv", "{sign, exponent, normal[20:0], 2'b0};", "{sign, exponent, normal[20:0], 2'b1};",
     "lowest_bits_are_0"),
    ("fp.product", "fp/fp16_mul.sv", "(a_special && b_zero) || (b_special && a_zero)", "1'b0", "nan_is_nan"),
    ("fp.align", "fp/fp32_add_stage1.sv", "shifted_8[26:17], |shifted_8[16:0]}",
     "shifted_8[26:16]}", "is_rounded_to_odd"),
    ("fp.align", "fp/fp32_add_stage1.sv",
     "assign aligned    = (|distance[7:5]) ?", "assign aligned    = (|distance[7:6]) ?", "is_rounded_to_odd"),
    ("fp.round", "fp/fp32_add_stage2.sv", "assign round_up = normal[2] & (normal[3] | (|normal[1:0]));",
     "assign round_up = normal[2] & normal[3] & ~(|normal[1:0]);", "is_nearest"),
    ("fp.round", "fp/fp32_add_stage2.sv", "(normal[3] | (|normal[1:0]))", "(|normal[2:0])", "ties_are_even"),
    ("fp.round", "fp/fp32_add_stage2.sv", "({3'b0, zeros} > room) ? room[4:0] : zeros", "zeros", ""),
    ("id_generator.division", "id_generator/sequential_divider.sv",
     "assign fits       = trial >=", "assign fits       = trial >", "below_the_divisor"),
    ("id_generator.division", "id_generator/sequential_divider.sv",
     "low_d       = {low_q[Width-2:0], fits};", "low_d       = {low_q[Width-3:0], 1'b0, fits};", "keeps_what_is"),
    ("id_generator.division_time", "id_generator/sequential_divider.sv",
     "left_d      = CountBits'(Width);", "left_d      = CountBits'(Width - 1);", "result_on_time"),
    ("id_generator.division_by_reciprocal", "id_generator/reciprocal_divider.sv",
     "{1'b0, high_q} + {1'b0, dividend_q}", "{1'b0, high_q} + {1'b0, dividend_2_q}", ""),
    ("id_generator.reciprocal", "id_generator/sequential_divider.sv",
     "low_d       = {low_q[Width-2:0], fits};", "low_d       = {low_q[Width-3:0], 1'b0, fits};", ""),
    ("id_generator.handshakes", "id_generator/id_control.sv",
     "assign in_ready_o      = advance_o && !busy_i", "assign in_ready_o      = !busy_i", ""),
    ("id_generator.programming", "id_generator/packet_programmer.sv",
     "state_d     = StMultiply;", "state_d     = StJudge;", "checked_in_time"),
    ("load_history_buffer.lifetime", "load_history_buffer/load_history_buffer.sv",
     "next_valid = valid & ~chosen;", "next_valid = valid;", ""),
    ("load_history_buffer.contents", "load_history_buffer/lhb_recency.sv",
     "(order_i | now_newer) & ~now_older;", "(order_i | now_older) & ~now_newer;", "names_the_register"),
    ("load_history_buffer.contents", "load_history_buffer/load_history_buffer.sv",
     "used = release_op ? '0 : chosen;", "used = insert ? chosen : '0;", "names_the_register"),
    ("load_history_buffer.contents", "load_history_buffer/lhb_memory.sv",
     "(write_i && write_address_i == read_address_i) ?", "(1'b0) ?", ""),
    ("load_history_buffer.progress", "load_history_buffer/load_history_buffer.sv",
     "if (walk_row_q == last_row_q) begin", "if (walk_row_q != '0) begin", ""),
    ("rename_table.contents", "rename_table/rename_table.sv",
     "CountBits'(map_share && map_phys_i == check_phys_q) - check_ends_q;", "{CountBits{1'b0}} - check_ends_q;",
     "dies_with_its_last"),
    ("rename_table.contents", "rename_table/rename_free_list.sv",
     "assign pop_ring   = pop_i && !fresh_left;", "assign pop_ring   = pop_i;", ""),
    ("rename_table.contents", "rename_table/rename_counts.sv",
     "first_q  <= (write_i && write_address_i == first_address_i) ?", "first_q  <= (1'b0) ?", ""),
    ("precompute_table.contents", "precompute_table/precompute_order.sv",
     "assign idle    = used_q & ~runs_q;", "assign idle    = used_q;", ""),
    ("precompute_table.contents", "precompute_table/precompute_table.sv",
     "assign stored          = apply && finish && runs && generation == generation_i;",
     "assign stored          = apply && finish && runs;", "does_what_it_can"),
    ("precompute_table.contents", "precompute_table/precompute_table.sv",
     "complete_d    = lookup && hit_q && !waits && !runs;", "complete_d    = lookup && hit_q && !waits;",
     "complete_once_stored"),
    ("spwmma_core.fetch", "spwmma_core/operand_fetch.sv",
     "assign a_even_word_o = a_offset_i[3] ? a_next : a_offset_i[8:4];",
     "assign a_even_word_o = a_offset_i[8:4];", "a_is_at_its_place"),
    ("spwmma_core.fetch", "spwmma_core/operand_fetch.sv",
     "ohmma_q.b_place[4] ? {b_even_i, b_odd_i} : {b_odd_i, b_even_i};", "{b_odd_i, b_even_i};", "b_is_at_its_place"),
)
# Blocks that do nothing, or do not do what the proof is about, in the same form. The last word is an assertion that
# fails or a cover that is not reached.
DEAD = (
    ("assign_table.contents", "assign_table/assign_table.sv",
     "assign inserts    = apply && insert && !pair;", "assign inserts    = 1'b0;", "does_what_it_can"),
    ("assign_table.contents", "assign_table/assign_table.sv",
     "assign in_ready_o = may_apply && !(invalidate && either);", "assign in_ready_o = 1'b0;", "taken_in_time"),
    ("accumulation_buffer.control", "accumulation_buffer/accumulation_control.sv",
     "assign row_valid_o = draining_q & empty;", "assign row_valid_o = 1'b0;", "last_row"),
    ("accumulation_buffer.control_history", "accumulation_buffer/accumulation_control.sv",
     "assign dense_o       = held_q & op_q.dense & ~sparse_busy & ~interlock & advance_o;",
     "assign dense_o       = 1'b0;", "issues_in_time"),
    ("accumulation_buffer.control_history", "accumulation_buffer/accumulation_control.sv",
     "assign push_o        = held_q & ~op_q.dense & ~adding_q;", "assign push_o        = 1'b0;", "pushes_at_once"),
    ("accumulation_buffer.fifo", "accumulation_buffer/accumulation_fifo.sv",
     "assign take_o[i] = want_i[i] & (rank[CountBits*i +: CountBits] < room);", "assign take_o[i] = 1'b0;",
     "refuses_when_full_only"),
    ("accumulation_buffer.fifo_order", "accumulation_buffer/accumulation_fifo.sv",
     "assign count_o = count_q;", "assign count_o = '0;", ""),
    ("accumulation_buffer.bank_order", "accumulation_buffer/accumulation_bank.sv",
     "assign sparse = holds_o & ~(adds_q & (word_q == head_word));", "assign sparse = 1'b0;", "adds_in_time"),
    ("accumulation_buffer.turns", "accumulation_buffer/accumulation_control.sv",
     "assign push_o        = held_q & ~op_q.dense & ~adding_q;", "assign push_o        = 1'b0;", "both_kinds"),
    ("bitmap_im2col.population", "bitmap_im2col/bitmap_population.sv",
     "assign count_o = gen_level[Levels-1].counts;", "assign count_o = '0;", "counts_the_ones"),
    ("bitmap_im2col.columns", "bitmap_im2col/bitmap_im2col.sv",
     "assign row_ready_o    = !row_valid_q || done;", "assign row_ready_o    = 1'b0;", "row_taken_in_time"),
    ("bitmap_im2col.columns", "bitmap_im2col/bitmap_im2col.sv",
     "assign column_valid_d = column_moves ? masked_valid_q : column_valid_q;", "assign column_valid_d = 1'b0;",
     "column_in_time"),
    ("bitmap_unit.count", "bitmap_unit/bitmap_count.sv", "count_o[6*k +: 6] = sums[5:0];", "count_o[6*k +: 6] = '0;",
     "counts_the_ones"),
    ("bitmap_unit.sums", "bitmap_unit/bitmap_count.sv", "count_o[6*k +: 6] = sums[5:0];", "count_o[6*k +: 6] = '0;",
     "full"),
    ("bitmap_unit.condense", "bitmap_unit/bitmap_condense.sv",
     "valid_o[lane]         = 1'b1;", "valid_o[lane]         = 1'b0;", ""),
    ("bitmap_unit.sequence", "bitmap_unit/bitmap_unit.sv",
     "assign makes   = current_q & (|k_left_q) & room;", "assign makes   = 1'b0;", "begins_in_time"),
    ("bitmap_unit.sequence", "bitmap_unit/bitmap_unit.sv",
     "assign tile_ready_o    = ~arrived_q | moves;", "assign tile_ready_o    = 1'b0;", "accepts_unless_full"),
    ("duplo_core.joining", "duplo_core/duplo_core.sv",
     "assign in_ready_o = id_in_ready && open;", "assign in_ready_o = 1'b0;", "hit_after_a_hit"),
    ("duplo_core.joining", "duplo_core/duplo_core.sv",
     "assign hit    = answer_2_q.looks_up && lhb_found &&", "assign hit    = 1'b0 &&", "hits_a_live_register"),
    ("feop_array.handshakes", "feop/feop_array_control.sv",
     "assign ready_o           = operands_en;", "assign ready_o           = 1'b0;", "ready_when_room"),
    ("feop_array.order", "feop/feop_array_control.sv",
     "assign valid_o           = valid_q[Results];", "assign valid_o           = 1'b0;", "nothing_lost"),
    ("feop_array.data", "feop/feop_array_control.sv",
     "assign valid_o           = valid_q[Results];", "assign valid_o           = 1'b0;", "is_of_its_operation"),
    ("fp.product", "fp/fp16_mul.sv",
     "product_o = {sign, exponent, normal[20:0], 2'b0};", "product_o = '0;", "is_exact"),
    ("fp.align", "fp/fp32_add_stage1.sv", "mid_o.exponent = larger_exponent;", "mid_o.exponent = '0;",
     "exponent_is_the_larger"),
    ("fp.round", "fp/fp32_add_stage2.sv", "sum_o = {mid_i.sign, rounded};", "sum_o = '0;", ""),
    ("id_generator.division_time", "id_generator/sequential_divider.sv",
     "assign in_ready_o  = !busy_q;", "assign in_ready_o  = 1'b0;", "free_at_first"),
    ("id_generator.division_time", "id_generator/sequential_divider.sv",
     "busy_d      = 1'b1;", "busy_d      = 1'b0;", "begins"),
    ("id_generator.division", "id_generator/sequential_divider.sv",
     "busy_d      = 1'b1;", "busy_d      = 1'b0;", "is_the_dividend"),
    ("id_generator.reciprocal", "id_generator/sequential_divider.sv",
     "assign out_valid_o = busy_q && left_q == '0;", "assign out_valid_o = 1'b0;", "result_in_time"),
    ("id_generator.division_by_reciprocal", "id_generator/reciprocal_divider.sv",
     "assign quotient_o  = quotient_2_q;", "assign quotient_o  = '0;", "is_the_dividend"),
    ("id_generator.handshakes", "id_generator/id_control.sv",
     "assign in_ready_o      = advance_o && !busy_i && !program_valid_i;", "assign in_ready_o      = 1'b0;",
     "address_at_once"),
    ("id_generator.handshakes", "id_generator/id_control.sv",
     "assign program_ready_o = !busy_i && valid_q == '0;", "assign program_ready_o = 1'b0;", "packet_when_empty"),
    ("id_generator.programming", "id_generator/packet_programmer.sv",
     "state_d     = StMultiply;", "state_d     = StIdle;", "checked_in_time"),
    ("load_history_buffer.lifetime", "load_history_buffer/load_history_buffer.sv",
     "next_valid = valid | chosen;", "next_valid = valid;", "hits_a_live_register"),
    ("load_history_buffer.contents", "load_history_buffer/load_history_buffer.sv",
     "next_valid = valid | chosen;", "next_valid = valid;", "found_if_there"),
    ("load_history_buffer.progress", "load_history_buffer/load_history_buffer.sv",
     "assign in_ready_o    = advance && ready_q && !walk_q && !setup_valid_i;", "assign in_ready_o    = 1'b0;",
     "operation_in_time"),
    ("rename_table.contents", "rename_table/rename_table.sv",
     "assign died_o      = check_valid_q && units == '0;", "assign died_o      = 1'b0;", "dies_with_its_last"),
    ("rename_table.contents", "rename_table/rename_table.sv",
     "assign in_ready_o    = advance && ready_q && !walk_q && !setup_valid_i;", "assign in_ready_o    = 1'b0;",
     "unit_in_time"),
    ("precompute_table.contents", "precompute_table/precompute_table.sv",
     "assign inserts         = apply && predict && !hit_q && (!full || pick_q);", "assign inserts         = 1'b0;",
     "does_what_it_can"),
    ("precompute_table.contents", "precompute_table/precompute_table.sv",
     "assign in_ready_o      = taken;", "assign in_ready_o      = 1'b0;", "taken_in_time"),
    ("spwmma_core.fetch", "spwmma_core/operand_fetch.sv",
     "assign valid_o = valid_q;", "assign valid_o = 1'b0;", "is_inside"),
    ("spwmma_core.fetch", "spwmma_core/operand_fetch.sv",
     "assign ready_o = ~valid_q | ready_i;", "assign ready_o = 1'b0;", "taken_unless_full"),
)
# These replacements need more than ten seconds to be found.
LONG = (
    "(!looks_up || !insert_valid_q);", "assign idle    = used_q;", "complete_d    = lookup && hit_q && !waits;",
    "assign last_column = b_count_k <", "k_left_d = k_left_q & (k_left_q - 2'd2);",
    "assign push_o        = held_q & ~op_q.dense;", "assign hit    = 1'b0 &&", "used = insert ? chosen : '0;",
    "assign pop_ring   = pop_i;", "(order_i | now_older) & ~now_newer;",
)


def tried(rows):
    """The rows that this run tries."""
    return rows if "TESSERA_LONG_TESTS" in os.environ else [row for row in rows if row[3] not in LONG]


def rtl_formal(*arguments):
    """The finished process."""
    return subprocess.run([os.path.join(ROOT, "tools", "rtl_formal"), *arguments], capture_output=True, text=True,
                          check=False)


def inside(text, start):
    """The text from `start` to the parenthesis that closes the one before it."""
    depth = 1
    for end in range(start, len(text)):
        depth += {"(": 1, ")": -1}.get(text[end], 0)
        if depth == 0:
            return text[start:end]
    raise AssertionError("a parenthesis is not closed")


def outermost(expression):
    """An expression without what stands in parentheses."""
    while True:
        shorter = re.sub(r"\([^()]*\)", "", expression)
        if shorter == expression:
            return expression
        expression = shorter


def broken_proof(folder, proof, path, old, new):
    """Path of a list with one proof of a block, in which `new` stands for `old` in a file of rtl/."""
    here, file = os.path.split(os.path.join(ROOT, "rtl", path))
    with open(os.path.join(here, file), encoding="utf-8") as handle:
        text = handle.read()
    if text.count(old) != 1:
        raise AssertionError(f"{file}: '{old}' is there {text.count(old)} times, expected once")
    broken = os.path.join(folder, file)
    with open(broken, "w", encoding="utf-8") as handle:
        handle.write(text.replace(old, new))
    block, proof = proof.split(".")
    with open(os.path.join(here, "formal.yaml"), encoding="utf-8") as handle:
        entry = next(entry for entry in yaml.safe_load(handle) if entry.get("proof", entry["top"]) == proof and
                     entry.get("block", block) == block)
    entry["without"] = [*entry.get("without", []), file]
    entry["sources"] = [broken, *entry["sources"]]
    path = os.path.join(folder, "formal.yaml")
    with open(path, "w", encoding="utf-8") as handle:
        yaml.safe_dump([entry], handle)
    return path


class WrongProperty(unittest.TestCase):
    def test_fails_with_name_and_trace(self):
        with tempfile.TemporaryDirectory() as out:
            process = rtl_formal("fp", "--out", out, "--file", os.path.join(HERE, "wrong_sign.yaml"))
            self.assertEqual(process.returncode, 1, process.stdout + process.stderr)
            self.assertIn("sign_of_first_factor", process.stdout)
            trace = os.path.join(out, "rtl_formal", "fp", "wrong_sign", "trace.vcd")
            with open(trace, encoding="utf-8") as handle:
                self.assertIn("$enddefinitions", handle.read())


class Covers(unittest.TestCase):
    def test_condition_that_is_never_met(self):
        """The assertion holds, but only because nothing ever asks for it."""
        with tempfile.TemporaryDirectory() as out:
            process = rtl_formal("fp", "--out", out, "--file", os.path.join(HERE, "vacuous.yaml"))
            self.assertEqual(process.returncode, 1, process.stdout + process.stderr)
            self.assertIn("fp.vacuous: not reached: never_asked\n", process.stdout)
            self.assertIn("fp.vacuous: not reached: is_infinite_and_zero\n", process.stdout)
            self.assertNotIn("not reached: sign_of_both", process.stdout)
            self.assertNotIn("failed: ", process.stdout)

    def test_cover_that_comes_late(self):
        """A cover that needs more cycles than it has is not reached."""
        with tempfile.TemporaryDirectory() as out:
            process = rtl_formal("fp", "--out", out, "--file", os.path.join(HERE, "late_cover.yaml"))
            self.assertEqual(process.returncode, 1, process.stdout + process.stderr)
            self.assertIn("fp.too_late: not reached: third_cycle\n", process.stdout)
            self.assertNotIn("fp.in_time: not reached", process.stdout)

    def test_conditions_are_ifs(self):
        """An assertion that is a disjunction hides its condition from the covers."""
        for path in glob.glob(os.path.join(ROOT, "rtl", "*", "*_properties.sv")):
            with open(path, encoding="utf-8") as handle:
                text = handle.read()
            for match in re.finditer(r"\bassert \(", text):
                expression = inside(text, match.end())
                with self.subTest(file=os.path.relpath(path, ROOT), expression=expression):
                    self.assertNotIn("||", outermost(expression))

    def test_every_property_has_a_name(self):
        for path in glob.glob(os.path.join(ROOT, "rtl", "*", "*_properties.sv")):
            with open(path, encoding="utf-8") as handle:
                lines = handle.read().splitlines()
            for line in lines:
                if re.search(r"\b(assert|cover) \(", line):
                    self.assertRegex(line, r"^\s*[a-z0-9_]+: (assert|cover) \(", path)


class BrokenRtl(unittest.TestCase):
    def test_every_proof_can_fail(self):
        """None holds because of what it assumes: each has an error that it must find, and a dead block."""
        proofs = {".".join(line.split()[:2]) for line in rtl_formal("--list").stdout.splitlines()}
        for rows in BROKEN, DEAD:
            self.assertEqual(proofs, {proof for proof, *_ in tried(rows)})

    def test_long_rows_exist(self):
        self.assertLessEqual(set(LONG), {row[3] for row in BROKEN + DEAD})

    def test_no_proof_of_dead_rtl(self):
        for proof, path, old, new, name in tried(DEAD):
            with self.subTest(proof=proof, new=new), tempfile.TemporaryDirectory() as out:
                listing = broken_proof(out, proof, path, old, new)
                process = rtl_formal(proof.split(".")[0], "--out", out, "--file", listing)
                self.assertEqual(process.returncode, 1, process.stdout + process.stderr)
                self.assertRegex(process.stdout, rf"(?m)^{re.escape(proof)}: (failed|not reached): .*{name}")

    def test_no_proof_of_broken_rtl(self):
        for proof, path, old, new, name in tried(BROKEN):
            with self.subTest(proof=proof, new=new), tempfile.TemporaryDirectory() as out:
                listing = broken_proof(out, proof, path, old, new)
                process = rtl_formal(proof.split(".")[0], "--out", out, "--file", listing)
                self.assertEqual(process.returncode, 1, process.stdout + process.stderr)
                self.assertIn(f"{proof}: failed: ", process.stdout)
                self.assertIn(name, process.stdout)


if __name__ == "__main__":
    for program in ("yosys", "z3"):
        if shutil.which(program) is None:
            print(f"{program} is missing; run tools/setup")
            sys.exit(0)
    unittest.main()
