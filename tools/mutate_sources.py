"""The sources of sc_models that tools/mutate puts errors into."""

import fnmatch

import rtl_common as common

SOURCES = {  # what decides results, by folder of sc_models
    "common": ("statistics.cpp",),
    "duplo": ("built_pipe.cpp", "detection_state.cpp", "detection_unit.cpp", "element_formula.cpp", "history_pipe.cpp", "id_generator.cpp",
              "load_history_buffer.cpp", "pending_releases.cpp", "rename_stage.cpp", "rename_table.cpp", "value_table.h"),
    "isa": ("coalescer.cpp", "convolution_packet.cpp"),
    "memory": ("at/cache_front_end.h", "at/dram_channel_at.cpp", "at/l1_cache_at.cpp", "at/l2_slice_at.cpp",
               "core/address_map.cpp", "core/atomic_unit.h", "core/dram_core.cpp", "core/dram_scheduler.cpp", "core/fill_timing_wheel.h",
               "core/l1_policy.cpp", "core/l1_policy.h", "core/l1_statistics.cpp", "core/l2_statistics.cpp", "core/mshr_table_at.cpp", "core/mshr_table_lt.cpp",
               "core/replacement_policy.h", "core/sector_tags.cpp", "lt/deferred_misses.cpp",
               "lt/dram_channel.cpp", "lt/l1_cache.cpp", "lt/l1_miss_port.cpp", "lt/l2_slice.cpp"),
    "noc": ("at/crossbar_at.cpp", "at/mesh_at.cpp", "core/crossbar_statistics.cpp", "core/mesh_core.cpp",
            "core/mesh_port.cpp", "core/mesh_reservations.cpp", "core/mesh_statistics.cpp", "core/mesh_topology.cpp",
            "core/switch_core.cpp", "lt/crossbar.cpp", "lt/mesh.cpp"),
    "opportunistic": ("assign_cluster.cpp", "assign_table.cpp", "assistant_work.cpp", "opportunistic_assign.cpp",
                      "opportunistic_unit.cpp", "output_ledger.cpp", "precompute_table.cpp"),
    "sm": ("bank_scheduler.h", "ldst_unit_at.cpp", "ldst_unit_at_filter.cpp", "ldst_unit_lt.cpp", "tensor_core_pair.cpp"),
    "tensor_core": ("accumulation_buffer.cpp", "accumulation_rate.cpp", "bitmap_unit.cpp", "fedp.cpp", "feop.cpp",
                    "feop_array.cpp", "outer_product_pipeline.cpp", "spwmma.cpp", "spwmma_pipeline.cpp"),
    "tlm": ("at/target_port.h", "lt/reservation_table.cpp"),
}
# Further sources: they decide which kernels run, what they compute and what is counted. Readers of files are left out.
FURTHER_SOURCES = {
    "energy": ("energy_account.cpp", "energy_counts.cpp", "energy_events.cpp", "energy_table.cpp"),
    "lowering": ("convolution_lowering.cpp", "elementwise_lowering.cpp", "integer_lowering.cpp", "layouts.cpp", "lowered_layer.cpp",
                 "matrix_lowering.cpp", "movement_lowering.cpp", "node_layers.cpp", "node_lowering.cpp",
                 "operator_family.cpp", "operator_lowering.cpp", "placed_tensor.cpp", "product_layer.cpp",
                 "row_lowering.cpp", "volume_lowering.cpp"),
    "network": ("convolution_operators.cpp", "elementwise_operators.cpp", "executor.cpp", "fusion.cpp",
                "gate_functions.cpp", "graph.cpp", "integer_products.cpp", "integer_steps.cpp", "logic_operators.cpp",
                "movement_operators.cpp", "multiply_add.cpp",
                "node_maker.cpp", "node_work.cpp", "normalization_operators.cpp", "operators.cpp", "patterns.cpp",
                "pooling_operators.cpp", "product_operators.cpp", "quantization_operators.cpp", "quantized_expansion.cpp", "quantized_nodes.cpp",
                "quantized_product_operators.cpp", "random_inputs.cpp", "recurrent_operators.cpp",
                "recurrent_steps.cpp", "recurrent_unrolling.cpp", "reduction_operators.cpp", "resize_operators.cpp",
                "selection_operators.cpp", "storage.cpp", "tensor.cpp", "view_operators.cpp", "walk.cpp", "window.cpp"),
    "configure": ("config_rules_machine.cpp", "config_rules_tiling.cpp", "config_rules_workload.cpp", "equal_runs.cpp", "workload_kind.cpp"),
    "run": ("kernel_limits.cpp", "make_workload.cpp", "mechanisms.cpp", "run_cost.cpp", "sampled_figures.cpp",
            "simulation.cpp"),
    "workload": ("composition.cpp", "depthwise/depthwise_convolution.cpp", "depthwise/depthwise_geometry.cpp",
                 "depthwise/depthwise_kernel.cpp", "depthwise/depthwise_lanes.cpp",
                 "depthwise/depthwise_program.cpp", "direct/direct_convolution.cpp",
                 "direct/direct_convolution_geometry.cpp", "direct/direct_convolution_kernel.cpp",
                 "direct/direct_tiling.cpp", "direct/lane_layout.cpp", "fragment/convolution_geometry.cpp",
                 "fragment/convolution_operands.cpp", "fragment/im2col_kernel.cpp", "fragment/lowered_convolution.cpp",
                 "fragment/matrix_product.cpp", "gemm_kernel.cpp", "given_layer.cpp", "golden.cpp", "layer_pass.cpp",
                 "library/convolution_pass.cpp", "library/convolution_pass_operands.cpp", "library/dense_kernels.cpp",
                 "library/library_convolution.cpp", "library/library_product.cpp", "library/offsets_kernel.cpp",
                 "library/split_k_reduction.cpp", "microbenchmarks/microbenchmark_builder.cpp",
                 "microbenchmarks/microbenchmarks.cpp", "microbenchmarks/microbenchmarks_instructions.cpp",
                 "microbenchmarks/microbenchmarks_reference.cpp", "operators/tensor_math.cpp",
                 "operators/tensor_operation.cpp", "operators/tensor_operation_keys.cpp",
                 "operators/tensor_operators.cpp", "product_epilogue.cpp", "requantization.cpp", "sparse/feature_map_operand.cpp",
                 "sparse/sparse_convolution.cpp", "sparse/sparse_product.cpp", "sparse/tile_im2col_kernel.cpp",
                 "staged/asynchronous_steps.cpp", "staged/fragment_steps.cpp", "staged/gathered_operand.cpp",
                 "staged/sparse_step.cpp", "staged/spwmma_steps.cpp", "staged/staged_copies.cpp",
                 "staged/staged_descriptors.cpp", "staged/staged_instructions.cpp", "staged/staged_operand.cpp",
                 "staged/staged_product_kernel.cpp", "staged/staged_program.cpp", "staged/staged_registers.cpp",
                 "staged/staged_result.cpp", "staged/staged_steps.cpp", "staged/staged_warp.cpp", "tensor/tensor_access.cpp",
                 "tensor/tensor_golden.cpp", "tensor/tensor_kernels.cpp", "tensor/tensor_map_kernel.cpp",
                 "tensor/tensor_plan.cpp", "tensor/tensor_program.cpp", "tensor/tensor_reference.cpp",
                 "tensor/tensor_reference_windows.cpp", "tensor/tensor_row_kernel.cpp", "tensor/tensor_tile_kernel.cpp",
                 "tensor/tensor_windows.cpp", "tensor/tensor_workload.cpp", "value_generator.cpp", "workload.cpp"),
}
GROUPS = (SOURCES, FURTHER_SOURCES)


def source_names(*patterns):
    """The chosen sources, as seen from the project's root."""
    names = [f"sc_models/{folder}/{file}" for group in GROUPS for folder, files in group.items() for file in files]
    for pattern in patterns:
        if not any(fnmatch.fnmatch(name, f"*{pattern}*") for name in names):
            raise common.UserError(f"--file: '{pattern}' matches none of {{{', '.join(names)}}}")
    return [name for name in names if any(fnmatch.fnmatch(name, f"*{pattern}*") for pattern in patterns)]


def folder_of(name):
    """The folder of sc_models that holds a source."""
    return name.split("/")[1]
