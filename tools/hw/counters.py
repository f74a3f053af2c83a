"""Reduces Nsight Compute's page of all columns to those of a kernel's work: counters.py RAW OUT."""
import csv
import sys

COLUMNS = {
    "Kernel Name": "shape_and_kernel", "launch__grid_size": "ctas", "launch__block_size": "threads",
    "launch__cluster_size": "cluster", "launch__registers_per_thread": "registers",
    "launch__shared_mem_per_block": "shared_bytes", "sm__cycles_elapsed.max": "cycles",
    "gpu__time_duration.sum": "nanoseconds", "smsp__inst_executed.sum": "warp_instructions",
    "sm__inst_executed_pipe_tensor.sum": "tensor_instructions",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum": "l1_load_sectors",
    "lts__t_sectors_op_read.sum": "l2_read_sectors", "lts__t_sectors_op_write.sum": "l2_write_sectors",
    "dram__sectors_read.sum": "dram_read_sectors", "dram__sectors_write.sum": "dram_write_sectors",
}
LONGEST_NAME = 140

with open(sys.argv[1], newline="") as raw, open(sys.argv[2], "w", newline="") as out:
    rows = csv.DictReader(line for line in raw if not line.startswith("=="))
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS.values())
    next(rows)  # units
    for row in rows:
        writer.writerow([row["Kernel Name"][:LONGEST_NAME]] +
                        [row[name].replace(",", "") for name in COLUMNS if name != "Kernel Name"])
