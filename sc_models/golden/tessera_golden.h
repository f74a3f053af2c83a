/* C interface of the golden models of the RTL blocks (libtessera_golden.so).
 *
 * The library holds the models that the co-simulation compares the RTL with. It needs neither
 * SystemC nor the rest of Tessera, so that a testbench in SystemVerilog (DPI-C), C or Python
 * (ctypes) can call it.
 *
 * Numbers. An FP16 number is the bits of an IEEE 754 binary16 number in a uint16_t, an FP32 number
 * the bits of a binary32 number in a uint32_t.
 *
 * Structures. Every member is a 32-bit word or an array that fills whole words, so a structure has
 * no padding. On a little-endian host, DPI-C may pass it as a packed bit vector whose bits
 * 32 n + 31 to 32 n are word n. Members have the names of the RTL's pins without _i and _o. A pin
 * wider than 32 bits that holds one number is two words, `_low` and `_high`. A pin that holds
 * several elements is an array with one element an entry.
 *
 * Time. A call of a step function is one clock cycle: it gives the outputs of the cycle, which
 * depend on the inputs of the same cycle as far as those of the RTL do, then applies the rising
 * edge. An output without its valid is undefined.
 *
 * Errors. Every function that can fail returns a tessera_golden_status. After a failure no output
 * has been written and the block has not moved; tessera_golden_message() says what was wrong.
 * No C++ exception leaves the library.
 *
 * Threads. Calls with different handles may run at the same time, calls with one handle may not.
 */
#ifndef TESSERA_GOLDEN_H
#define TESSERA_GOLDEN_H

#include <stdint.h>

#if defined(__GNUC__)
#define TESSERA_GOLDEN_API __attribute__((visibility("default")))
#else
#define TESSERA_GOLDEN_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** Version of this interface. It changes whenever a program has to be compiled anew. */
#define TESSERA_GOLDEN_ABI 1

/** Result of a call. */
typedef enum tessera_golden_status {
    TESSERA_GOLDEN_OK = 0,
    /** A pointer is null, or a number is outside the range that the parameter's comment states. */
    TESSERA_GOLDEN_BAD_ARGUMENT = 1,
    /** The block in its present state may not be given this operation. */
    TESSERA_GOLDEN_BAD_OPERATION = 2,
    /** The memory of the host is exhausted. */
    TESSERA_GOLDEN_NO_MEMORY = 3,
    /** An error of the library itself. */
    TESSERA_GOLDEN_INTERNAL = 4
} tessera_golden_status;

/** Returns TESSERA_GOLDEN_ABI as the library was compiled with, to compare with the header's. */
TESSERA_GOLDEN_API uint32_t tessera_golden_abi(void);

/** Returns one line on the last failure in this thread, empty before the first one. The text is
 * valid until the next call in the same thread. */
TESSERA_GOLDEN_API const char* tessera_golden_message(void);

/* ---- Arithmetic: rtl/fp, rtl/feop, rtl/fedp -------------------------------------------------- */

/** FP16 multiplication (rtl/fp/fp16_mul.sv): `*product` = a x b in FP32, always exact. Subnormal
 * operands are supported; every NaN is 0x7fffffff. */
TESSERA_GOLDEN_API int tessera_golden_fp16_product(uint16_t a, uint16_t b, uint32_t* product);

/** FP32 addition (rtl/fp/fp32_add.sv): `*sum` = x + y, rounded to nearest, ties to even. Subnormals
 * are supported; every NaN is 0x7fffffff. */
TESSERA_GOLDEN_API int tessera_golden_fp32_add(uint32_t x, uint32_t y, uint32_t* sum);

/** Four-element outer product, FEOP (rtl/feop/feop.sv; dual-side sparse tensor core, III):
 * d[j] = c[j] + a x b[j], one rounding each. `d` may be `c`. */
TESSERA_GOLDEN_API int tessera_golden_feop(uint16_t a, const uint16_t b[4], const uint32_t c[4],
                                           uint32_t d[4]);

/** Four-element dot product, FEDP (rtl/fedp/fedp.sv; Duplo, II-B): `*d` = a[0] x b[0] + a[1] x b[1]
 * + a[2] x b[2] + a[3] x b[3] + c. The five terms are aligned to the largest exponent, added
 * exactly and truncated to FP32. */
TESSERA_GOLDEN_API int tessera_golden_fedp(const uint16_t a[4], const uint16_t b[4], uint32_t c,
                                           uint32_t* d);

/* ---- Pair of outer-product tensor cores: rtl/feop/feop_array.sv ------------------------------ */

/** Pair of 8x8x1 outer-product tensor cores (dual-side sparse tensor core, III): one OHMMA.8161 or
 * BOHMMA.32321 a cycle, its result two cycles later unless it stalls. */
typedef struct tessera_golden_feop_array tessera_golden_feop_array;

typedef struct tessera_golden_feop_array_inputs {
    uint32_t valid;     /**< 0 or 1 */
    uint32_t op;        /**< 0: OHMMA, 1: BOHMMA */
    uint32_t predicate; /**< 0: the operation is accepted and gives no result */
    uint16_t a[8];      /**< FP16 rows; BOHMMA: a[0] and a[1] are the 32 row bits, low half first */
    uint16_t b[16];     /**< FP16 columns; BOHMMA: b[0] and b[1] are the 32 column bits */
    uint32_t meta[3];   /**< 96 bits that come back with the result */
    uint32_t ready;     /**< the receiver takes the result */
} tessera_golden_feop_array_inputs;

typedef struct tessera_golden_feop_array_outputs {
    uint32_t ready; /**< the operation is accepted; depends on the inputs' ready */
    uint32_t valid;
    uint32_t op;
    uint32_t meta[3];
    uint32_t product[128]; /**< OHMMA: FP32, row i and column j at 16 i + j */
    uint32_t bits[32];     /**< BOHMMA: one word a row, one bit a column */
} tessera_golden_feop_array_outputs;

/** Makes an array in reset. The handle is for tessera_golden_feop_array_destroy() in the end. */
TESSERA_GOLDEN_API int tessera_golden_feop_array_create(tessera_golden_feop_array** handle);
/** Frees an array; a null handle is allowed. */
TESSERA_GOLDEN_API void tessera_golden_feop_array_destroy(tessera_golden_feop_array* handle);
/** Empties the array. */
TESSERA_GOLDEN_API int tessera_golden_feop_array_reset(tessera_golden_feop_array* handle);
/** Runs one clock cycle. */
TESSERA_GOLDEN_API int tessera_golden_feop_array_step(tessera_golden_feop_array* handle,
                                                      const tessera_golden_feop_array_inputs* in,
                                                      tessera_golden_feop_array_outputs* out);

/* ---- Accumulation buffer: rtl/accumulation_buffer -------------------------------------------- */

/** Accumulation buffer (dual-side sparse tensor core, V-B2, Figures 18 to 20): a 32x32 tile of FP32
 * sums in 128 banks, with an FP32 adder and an operand FIFO of 8 entries each. The comment of class
 * AccumulationBuffer and rtl/accumulation_buffer/README.md state its timing. */
typedef struct tessera_golden_accumulation_buffer tessera_golden_accumulation_buffer;

typedef struct tessera_golden_accumulation_buffer_inputs {
    uint32_t op_valid;
    uint32_t op_dense;        /**< 0: sparse OHMMA, 1: dense OHMMA */
    uint32_t op_first;        /**< dense: add to op_c instead of the stored word */
    uint32_t op_last;         /**< dense: give the sums as a result, too */
    uint32_t op_word;         /**< dense: 0 to 7 */
    uint32_t op_row_valid;    /**< sparse: bit i says that row i counts; 8 bits */
    uint32_t op_row[8];       /**< sparse: 0 to 31 */
    uint32_t op_column_valid; /**< sparse: bit j says that column j counts; 16 bits */
    uint32_t op_column[16];   /**< sparse: 0 to 31; the valid ones are distinct */
    uint32_t op_product[128]; /**< FP32, row i and column j at 16 i + j */
    uint32_t op_c[128];       /**< FP32, used if op_dense and op_first */
    uint32_t preload_valid;
    uint32_t preload_word;      /**< 0 to 7 */
    uint32_t preload_data[128]; /**< FP32 by bank */
    uint32_t drain_valid;
    uint32_t drain_clear; /**< each word is +0 after it was read */
    uint32_t row_ready;
    uint32_t result_ready;
} tessera_golden_accumulation_buffer_inputs;

typedef struct tessera_golden_accumulation_buffer_outputs {
    uint32_t op_ready; /**< depends on result_ready */
    uint32_t preload_ready;
    uint32_t drain_ready;
    uint32_t row_valid;
    uint32_t row_word;
    uint32_t row_data[128]; /**< FP32 by bank */
    uint32_t result_valid;
    uint32_t result_word;
    uint32_t result_data[128]; /**< FP32 by bank */
    uint32_t idle;
} tessera_golden_accumulation_buffer_outputs;

/** Makes a buffer in reset whose words are +0. Those of the RTL are undefined until a preload or a
 * drain that clears. */
TESSERA_GOLDEN_API int tessera_golden_accumulation_buffer_create(
    tessera_golden_accumulation_buffer** handle);
/** Frees a buffer; a null handle is allowed. */
TESSERA_GOLDEN_API void tessera_golden_accumulation_buffer_destroy(
    tessera_golden_accumulation_buffer* handle);
/** Drops all operations and keeps the words. */
TESSERA_GOLDEN_API int tessera_golden_accumulation_buffer_reset(
    tessera_golden_accumulation_buffer* handle);
/** Runs one clock cycle. Returns TESSERA_GOLDEN_BAD_ARGUMENT for an offered operation with a word,
 * row, column or mask outside its range or with two equal valid columns, and for an offered preload
 * with a word outside its range. */
TESSERA_GOLDEN_API int tessera_golden_accumulation_buffer_step(
    tessera_golden_accumulation_buffer* handle, const tessera_golden_accumulation_buffer_inputs* in,
    tessera_golden_accumulation_buffer_outputs* out);

/* ---- Bitmap unit: rtl/bitmap_unit ------------------------------------------------------------ */

/** Bitmap unit (dual-side sparse tensor core, V-B1, Figures 5 and 15): counts the non-zeros of a
 * 32x32x16 tile and issues its OHMMAs, one a cycle, the first three cycles after the tile. */
typedef struct tessera_golden_bitmap_unit tessera_golden_bitmap_unit;

typedef struct tessera_golden_bitmap_unit_inputs {
    uint32_t tile_valid;
    uint32_t a_bitmap[16]; /**< by k; bit r says that A[r][k] is not zero */
    uint32_t b_bitmap[16]; /**< by k; bit c says that B[k][c] is not zero */
    uint32_t ohmma_ready;
} tessera_golden_bitmap_unit_inputs;

typedef struct tessera_golden_bitmap_unit_outputs {
    uint32_t tile_ready;    /**< depends on ohmma_ready */
    uint32_t summary_valid; /**< the arrays below belong to the tile whose OHMMAs are generated */
    uint32_t a_count[16];   /**< non-zeros of each k set */
    uint32_t b_count[16];
    uint32_t a_offset[16]; /**< non-zeros of all smaller k */
    uint32_t b_offset[16];
    uint32_t row_groups[16];    /**< groups of 8 rows, 0 to 4 */
    uint32_t column_groups[16]; /**< groups of 16 columns, 0 to 2 */
    uint32_t predicates[16];    /**< bit 2 i + j says that OHMMA (i, j) is needed */
    uint32_t tile_done;         /**< last cycle of that tile */
    uint32_t ohmma_valid;
    uint32_t ohmma_k;      /**< 0 to 15 */
    uint32_t ohmma_i;      /**< row group, 0 to 3 */
    uint32_t ohmma_j;      /**< column group, 0 or 1 */
    uint32_t ohmma_row[8]; /**< row in the tile, 0 where it is not valid */
    uint32_t ohmma_row_valid;
    uint32_t ohmma_column[16];
    uint32_t ohmma_column_valid;
    uint32_t ohmma_a_offset; /**< offset of the group's first value in the tile's values of A */
    uint32_t ohmma_b_offset;
    uint32_t ohmma_first; /**< first OHMMA of its tile */
    uint32_t ohmma_last;
    uint32_t idle;
} tessera_golden_bitmap_unit_outputs;

/** Makes a bitmap unit in reset. */
TESSERA_GOLDEN_API int tessera_golden_bitmap_unit_create(tessera_golden_bitmap_unit** handle);
/** Frees a bitmap unit; a null handle is allowed. */
TESSERA_GOLDEN_API void tessera_golden_bitmap_unit_destroy(tessera_golden_bitmap_unit* handle);
/** Empties the bitmap unit. */
TESSERA_GOLDEN_API int tessera_golden_bitmap_unit_reset(tessera_golden_bitmap_unit* handle);
/** Runs one clock cycle. */
TESSERA_GOLDEN_API int tessera_golden_bitmap_unit_step(tessera_golden_bitmap_unit* handle,
                                                       const tessera_golden_bitmap_unit_inputs* in,
                                                       tessera_golden_bitmap_unit_outputs* out);

/* ---- Bitmap im2col: rtl/bitmap_im2col -------------------------------------------------------- */

/** Bitmap im2col (dual-side sparse tensor core, IV-B, Figure 11): takes a row of a sparse feature
 * map and gives a column of the lowered map for each column of the filter, one a cycle, the first
 * three cycles after the row. */
typedef struct tessera_golden_bitmap_im2col tessera_golden_bitmap_im2col;

typedef struct tessera_golden_bitmap_im2col_inputs {
    uint32_t row_valid;
    uint32_t row_bitmap_low;  /**< bit c says that element c is not zero; padding is zero */
    uint32_t row_bitmap_high; /**< elements 32 to 63 */
    uint32_t row_length;      /**< elements with the padding, 7 bits; at most 64 fit */
    uint32_t row_filter;      /**< columns of the filter, 7 bits; 1 to row_length fit */
    uint32_t row_stride2;     /**< 0: stride 1; 1: stride 2 */
    uint32_t row_base;        /**< address of the row's first value */
    uint32_t column_ready;
} tessera_golden_bitmap_im2col_inputs;

typedef struct tessera_golden_bitmap_im2col_outputs {
    uint32_t row_ready; /**< depends on column_ready */
    uint32_t column_valid;
    uint32_t column_bitmap_low; /**< bit n says that the element of output n is not zero */
    uint32_t column_bitmap_high;
    uint32_t column_window_low; /**< elements of the row from the first output's to the last's */
    uint32_t column_window_high;
    uint32_t column_address; /**< address of the window's first value */
    uint32_t column_length;  /**< values of the window */
    uint32_t column_count;   /**< values of the column */
    uint32_t column_first;   /**< first column of its row */
    uint32_t column_last;
    uint32_t column_error; /**< the row does not fit; it has this column only */
} tessera_golden_bitmap_im2col_outputs;

/** Makes a bitmap im2col in reset. */
TESSERA_GOLDEN_API int tessera_golden_bitmap_im2col_create(tessera_golden_bitmap_im2col** handle);
/** Frees a bitmap im2col; a null handle is allowed. */
TESSERA_GOLDEN_API void tessera_golden_bitmap_im2col_destroy(tessera_golden_bitmap_im2col* handle);
/** Drops the rows and columns inside. */
TESSERA_GOLDEN_API int tessera_golden_bitmap_im2col_reset(tessera_golden_bitmap_im2col* handle);
/** Runs one clock cycle. Returns TESSERA_GOLDEN_BAD_ARGUMENT for a number of a row that exceeds its
 * pin. */
TESSERA_GOLDEN_API int tessera_golden_bitmap_im2col_step(
    tessera_golden_bitmap_im2col* handle, const tessera_golden_bitmap_im2col_inputs* in,
    tessera_golden_bitmap_im2col_outputs* out);

/* ---- Sparse tensor core: rtl/spwmma_core ------------------------------------------------------
 */

/** Sparse tensor core of a sub-core (dual-side sparse tensor core, V-B): bitmap unit, operand
 * fetch, pair of outer-product tensor cores and accumulation buffer as one block. It takes the
 * bitmaps of a 32x32x16 tile, reads the tile's values and adds its products up. */
typedef struct tessera_golden_spwmma_core tessera_golden_spwmma_core;

typedef struct tessera_golden_spwmma_core_inputs {
    uint32_t tile_valid;
    uint32_t tile_tag;     /**< 0 to 15; comes back with reads of the tile's values */
    uint32_t a_bitmap[16]; /**< by k; bit r says that A[r][k] is not zero */
    uint32_t b_bitmap[16]; /**< by k; bit c says that B[k][c] is not zero */
    uint16_t a_even[8];    /**< FP16: words of the last read, from the cycle after it on */
    uint16_t a_odd[8];
    uint16_t b_even[16];
    uint16_t b_odd[16];
    uint32_t run;               /**< the buffer's clock runs without an OHMMA, too */
    uint32_t preload_valid;     /**< this and the following: with run only */
    uint32_t preload_word;      /**< 0 to 7 */
    uint32_t preload_data[128]; /**< FP32 by bank */
    uint32_t drain_valid;
    uint32_t drain_clear; /**< each word is +0 after it was read */
    uint32_t row_ready;
} tessera_golden_spwmma_core_inputs;

typedef struct tessera_golden_spwmma_core_outputs {
    uint32_t tile_ready;    /**< depends on no input of the same cycle */
    uint32_t summary_valid; /**< the arrays below belong to the tile whose OHMMAs are generated */
    uint32_t a_count[16];   /**< non-zeros of each k set */
    uint32_t b_count[16];
    uint32_t a_offset[16]; /**< non-zeros of all smaller k */
    uint32_t b_offset[16];
    uint32_t row_groups[16];    /**< groups of 8 rows, 0 to 4 */
    uint32_t column_groups[16]; /**< groups of 16 columns, 0 to 2 */
    uint32_t predicates[16];    /**< bit 2 i + j says that OHMMA (i, j) is needed */
    uint32_t tile_done;         /**< last cycle of that tile */
    uint32_t read;              /**< the values of an OHMMA are read */
    uint32_t read_tag;          /**< of its tile */
    uint32_t a_even_word;       /**< words of 8 values of A, 0 to 31 */
    uint32_t a_odd_word;
    uint32_t b_even_word; /**< words of 16 values of B, 0 to 15 */
    uint32_t b_odd_word;
    uint32_t ohmma_valid; /**< an OHMMA is at the buffer */
    uint32_t ohmma_ready; /**< the buffer takes it */
    uint32_t ohmma_tag;
    uint32_t ohmma_k;
    uint32_t ohmma_row_valid;
    uint32_t ohmma_column_valid;
    uint32_t front_idle;    /**< no tile and no OHMMA before the buffer */
    uint32_t preload_ready; /**< this and the following: with run only */
    uint32_t drain_ready;
    uint32_t row_valid;
    uint32_t row_word;
    uint32_t row_data[128]; /**< FP32 by bank */
    uint32_t idle;          /**< every OHMMA is added */
} tessera_golden_spwmma_core_outputs;

/** Makes a sparse tensor core in reset whose sums are +0. Those of the RTL are undefined until a
 * preload or a drain that clears. */
TESSERA_GOLDEN_API int tessera_golden_spwmma_core_create(tessera_golden_spwmma_core** handle);
/** Frees a sparse tensor core; a null handle is allowed. */
TESSERA_GOLDEN_API void tessera_golden_spwmma_core_destroy(tessera_golden_spwmma_core* handle);
/** Drops tiles and OHMMAs; all sums are +0. */
TESSERA_GOLDEN_API int tessera_golden_spwmma_core_reset(tessera_golden_spwmma_core* handle);
/** Runs one clock cycle. Returns TESSERA_GOLDEN_BAD_ARGUMENT for an offered tile with a tag, and
 * for an offered preload with a word outside its range. */
TESSERA_GOLDEN_API int tessera_golden_spwmma_core_step(tessera_golden_spwmma_core* handle,
                                                       const tessera_golden_spwmma_core_inputs* in,
                                                       tessera_golden_spwmma_core_outputs* out);

/* ---- ID generator: rtl/id_generator ---------------------------------------------------------- */

/** ID generator (Duplo, III-B, III-C, IV-A): turns the address of a 32-byte chunk into the id of
 * its data, one a cycle, 18 cycles later. It computes the corrected formula. A convolution packet
 * programs it within 318 cycles. */
typedef struct tessera_golden_id_generator tessera_golden_id_generator;

typedef struct tessera_golden_id_generator_inputs {
    uint32_t program_valid;
    uint8_t packet[32]; /**< convolution packet; rtl/id_generator/README.md has its fields */
    uint32_t in_valid;
    uint32_t address_low;  /**< byte address */
    uint32_t address_high; /**< its upper 32 bits */
    uint32_t tag;          /**< 8 bits that come back with the id */
    uint32_t out_ready;
} tessera_golden_id_generator_inputs;

typedef struct tessera_golden_id_generator_outputs {
    uint32_t program_ready;
    uint32_t busy; /**< a packet is being checked */
    uint32_t
        packet_error;  /**< 0: good; else packet_error_e of rtl/id_generator/id_generator_pkg.sv */
    uint32_t in_ready; /**< depends on out_ready and program_valid */
    uint32_t out_valid;
    uint32_t element_low; /**< element id, 48 bits; 0 if there is none */
    uint32_t element_high;
    uint32_t batch;  /**< image, 0 to 1023; 0 if there is no id */
    uint32_t bypass; /**< 0: there is an id; else bypass_e of id_generator_pkg.sv */
    uint32_t zero;   /**< all halves of the chunk are zero; with the packet's zero rule only */
    uint32_t tag;
} tessera_golden_id_generator_outputs;

/** Makes an ID generator in reset. */
TESSERA_GOLDEN_API int tessera_golden_id_generator_create(tessera_golden_id_generator** handle);
/** Frees an ID generator; a null handle is allowed. */
TESSERA_GOLDEN_API void tessera_golden_id_generator_destroy(tessera_golden_id_generator* handle);
/** Empties the pipeline and switches the ID generator off until the next packet. */
TESSERA_GOLDEN_API int tessera_golden_id_generator_reset(tessera_golden_id_generator* handle);
/** Runs one clock cycle. A wrong packet is no failure: the outputs' packet_error shows it. */
TESSERA_GOLDEN_API int tessera_golden_id_generator_step(
    tessera_golden_id_generator* handle, const tessera_golden_id_generator_inputs* in,
    tessera_golden_id_generator_outputs* out);

/* ---- Load history buffer: rtl/load_history_buffer -------------------------------------------- */

/** Load history buffer (Duplo, IV-B): says which register holds a datum. It is set-associative with
 * at most 2048 entries and 8 ways and replaces the least recently used entry; one operation a
 * cycle, its result two cycles later. */
typedef struct tessera_golden_load_history_buffer tessera_golden_load_history_buffer;

typedef struct tessera_golden_load_history_buffer_inputs {
    uint32_t setup_valid;
    uint32_t setup_keep;     /**< 1: empty the buffer and keep its organisation */
    uint32_t setup_log_sets; /**< log2 of the sets, 0 to 15 */
    uint32_t setup_log_ways; /**< log2 of the ways, 0 to 7 */
    uint32_t setup_shift;    /**< low bits of an element id that the set index omits, 0 to 31 */
    uint32_t setup_fold;     /**< 1: fold upper bits and image into the set index */
    uint32_t in_valid;
    uint32_t op;          /**< 0: look up, 1: insert, 2: release */
    uint32_t element_low; /**< element id, 48 bits */
    uint32_t element_high;
    uint32_t batch;     /**< image, 16 bits */
    uint32_t owner_low; /**< group tag, sharing domain and kernel tag */
    uint32_t owner_high;
    uint32_t phys; /**< register, 0 to 16383 */
    uint32_t out_ready;
} tessera_golden_load_history_buffer_inputs;

typedef struct tessera_golden_load_history_buffer_outputs {
    uint32_t setup_ready;
    uint32_t setup_error; /**< the last organisation does not fit */
    uint32_t in_ready;    /**< depends on out_ready and setup_valid */
    uint32_t out_valid;
    uint32_t found; /**< look-up: hit; insertion: an entry was replaced; release: one was freed */
    uint32_t same_key; /**< insertion: the replaced entry had the same key */
    uint32_t phys;     /**< register of the hit or of the replaced entry, else 0 */
} tessera_golden_load_history_buffer_outputs;

/** Makes a load history buffer in reset, which takes no operation before its first set-up. */
TESSERA_GOLDEN_API int tessera_golden_load_history_buffer_create(
    tessera_golden_load_history_buffer** handle);
/** Frees a load history buffer; a null handle is allowed. */
TESSERA_GOLDEN_API void tessera_golden_load_history_buffer_destroy(
    tessera_golden_load_history_buffer* handle);
/** Drops entries, organisation and operations under way. */
TESSERA_GOLDEN_API int tessera_golden_load_history_buffer_reset(
    tessera_golden_load_history_buffer* handle);
/** Runs one clock cycle. Returns TESSERA_GOLDEN_BAD_ARGUMENT for an offered operation or set-up
 * with a number outside its range, and TESSERA_GOLDEN_BAD_OPERATION for an accepted insertion of a
 * register that an entry names: release it first. */
TESSERA_GOLDEN_API int tessera_golden_load_history_buffer_step(
    tessera_golden_load_history_buffer* handle, const tessera_golden_load_history_buffer_inputs* in,
    tessera_golden_load_history_buffer_outputs* out);

/* ---- Rename table: rtl/rename_table ---------------------------------------------------------- */

/** Rename table (Duplo, IV-B): which register each unit of a fragment has, up to 16384 of each.
 * Units may share a register, which is free again after the last of them. In every cycle one unit
 * ends its mapping, its old register two cycles later, and one gets a new mapping. */
typedef struct tessera_golden_rename_table tessera_golden_rename_table;

typedef struct tessera_golden_rename_table_inputs {
    uint32_t setup_valid;
    uint32_t setup_units;     /**< 15 bits */
    uint32_t setup_registers; /**< 15 bits */
    uint32_t in_valid;
    uint32_t unit; /**< unit whose mapping ends */
    uint32_t out_ready;
    uint32_t map_valid;
    uint32_t map_op; /**< 0: no register, 1: the first free one, 2: map_phys */
    uint32_t map_unit;
    uint32_t map_phys;
} tessera_golden_rename_table_inputs;

typedef struct tessera_golden_rename_table_outputs {
    uint32_t setup_ready;
    uint32_t setup_error; /**< the last set-up does not fit */
    uint32_t in_ready;    /**< depends on out_ready and setup_valid */
    uint32_t out_valid;
    uint32_t old_valid; /**< the unit had a register */
    uint32_t old;       /**< that register, else 0 */
    uint32_t died;      /**< the register given up in the cycle before has no unit any more */
    uint32_t died_phys; /**< that register, else 0 */
    uint32_t map_ready; /**< depends on map_op and setup_valid */
    uint32_t map_phys;  /**< register of the mapping that is taken, else 0 */
    uint32_t free;      /**< number of free registers */
    uint32_t mapped;    /**< number of units with a register */
} tessera_golden_rename_table_outputs;

/** Makes a rename table in reset, which takes nothing before its first set-up. */
TESSERA_GOLDEN_API int tessera_golden_rename_table_create(tessera_golden_rename_table** handle);
/** Frees a rename table; a null handle is allowed. */
TESSERA_GOLDEN_API void tessera_golden_rename_table_destroy(tessera_golden_rename_table* handle);
/** Drops all mappings, the sizes and units under way. */
TESSERA_GOLDEN_API int tessera_golden_rename_table_reset(tessera_golden_rename_table* handle);
/** Runs one clock cycle. Returns TESSERA_GOLDEN_BAD_ARGUMENT for an offered number outside its
 * range, and TESSERA_GOLDEN_BAD_OPERATION for what breaks the caller's part
 * (rtl/rename_table/README.md): an accepted unit or mapping of a unit that the set-up does not
 * have, a unit that is under way or waits for its mapping, a mapping of a unit that is under way or
 * has a register, a shared register that no unit has. */
TESSERA_GOLDEN_API int tessera_golden_rename_table_step(
    tessera_golden_rename_table* handle, const tessera_golden_rename_table_inputs* in,
    tessera_golden_rename_table_outputs* out);

/* ---- Precompute table: rtl/precompute_table -------------------------------------------------- */

/** Precompute table (opportunistic computing, III-A): results of predicted vector operations, fully
 * associative, at most 512 entries that are replaced in FIFO order. One operation at a time, its
 * answer two cycles later. rtl/precompute_table/README.md has the operations. */
typedef struct tessera_golden_precompute_table tessera_golden_precompute_table;

typedef struct tessera_golden_precompute_table_inputs {
    uint32_t setup_valid;
    uint32_t setup_entries; /**< 10 bits; 1 to 512 fit */
    uint32_t in_valid;
    uint32_t op; /**< 0: look up, 1: predict, 2: search, 3: start, 4: finish, 5: drop; 6, 7: none */
    uint32_t input_low; /**< address of the input vector, 40 bits */
    uint32_t input_high;
    uint32_t weights_low; /**< address of the weight vector, 40 bits */
    uint32_t weights_high;
    uint32_t geometry;    /**< layout of the lanes, 8 bits */
    uint32_t slot;        /**< 0 to 511 */
    uint32_t after;       /**< search: behind slot */
    uint32_t generation;  /**< finish: as start gave it, 0 to 15 */
    uint32_t count;       /**< drop: 10 bits */
    uint32_t results[32]; /**< finish: FP32, one a lane */
    uint32_t out_ready;
} tessera_golden_precompute_table_inputs;

/** A field that an answer does not have is 0. */
typedef struct tessera_golden_precompute_table_outputs {
    uint32_t setup_ready;
    uint32_t setup_error; /**< the last set-up does not fit */
    uint32_t in_ready;
    uint32_t out_valid;
    uint32_t done;       /**< the operation found or changed something */
    uint32_t present;    /**< predict: the key has an entry */
    uint32_t replaced;   /**< predict: an older entry left */
    uint32_t complete;   /**< look up: results are there */
    uint32_t slot;       /**< of the entry */
    uint32_t generation; /**< start */
    uint32_t input_low;  /**< search: key of the entry */
    uint32_t input_high;
    uint32_t weights_low;
    uint32_t weights_high;
    uint32_t geometry;
    uint32_t count;       /**< drop: entries that left */
    uint32_t results[32]; /**< look up: FP32, one a lane */
    uint32_t size;        /**< number of entries */
    uint32_t waiting;     /**< an entry waits */
} tessera_golden_precompute_table_outputs;

/** Makes a precompute table in reset, which takes no operation before its first set-up. */
TESSERA_GOLDEN_API int tessera_golden_precompute_table_create(
    tessera_golden_precompute_table** handle);
/** Frees a precompute table; a null handle is allowed. */
TESSERA_GOLDEN_API void tessera_golden_precompute_table_destroy(
    tessera_golden_precompute_table* handle);
/** Drops entries, their number and the operation under way. */
TESSERA_GOLDEN_API int tessera_golden_precompute_table_reset(
    tessera_golden_precompute_table* handle);
/** Runs one clock cycle. Returns TESSERA_GOLDEN_BAD_ARGUMENT for an offered number outside its
 * range, and TESSERA_GOLDEN_BAD_OPERATION for an operation that changes before it was taken. */
TESSERA_GOLDEN_API int tessera_golden_precompute_table_step(
    tessera_golden_precompute_table* handle, const tessera_golden_precompute_table_inputs* in,
    tessera_golden_precompute_table_outputs* out);

/* ---- Assign table: rtl/assign_table ---------------------------------------------------------- */

/** Assign table of a cluster (opportunistic computing, III-B): which SM has both blocks of a pair,
 * fully associative, at most 1024 entries that are replaced in FIFO order. One operation a cycle,
 * one more for each entry that it invalidates; its answer in the next. */
typedef struct tessera_golden_assign_table tessera_golden_assign_table;

typedef struct tessera_golden_assign_table_inputs {
    uint32_t setup_valid;
    uint32_t setup_entries; /**< 11 bits; 1 to 1024 fit */
    uint32_t in_valid;
    uint32_t op;        /**< 0: look up, 1: insert, 2: invalidate, 3: flush */
    uint32_t input_low; /**< number of the input block, 33 bits; invalidate: of either kind */
    uint32_t input_high;
    uint32_t weights_low; /**< number of the weight block, 33 bits */
    uint32_t weights_high;
    uint32_t sm; /**< SM in the cluster, 0 to 7; insert and invalidate */
    uint32_t out_ready;
} tessera_golden_assign_table_inputs;

/** A field that an answer does not have is 0. */
typedef struct tessera_golden_assign_table_outputs {
    uint32_t setup_ready;
    uint32_t setup_error; /**< the last set-up does not fit */
    uint32_t in_ready;    /**< depends on out_ready, setup_valid and the operation */
    uint32_t out_valid;
    uint32_t done;     /**< the operation found or changed something */
    uint32_t replaced; /**< insert: the oldest entry left */
    uint32_t sm;       /**< look up: the SM that has the pair */
    uint32_t count;    /**< invalidate and flush: entries that left */
    uint32_t size;     /**< number of entries */
} tessera_golden_assign_table_outputs;

/** Makes an assign table in reset, which takes no operation before its first set-up. */
TESSERA_GOLDEN_API int tessera_golden_assign_table_create(tessera_golden_assign_table** handle);
/** Frees an assign table; a null handle is allowed. */
TESSERA_GOLDEN_API void tessera_golden_assign_table_destroy(tessera_golden_assign_table* handle);
/** Drops entries, their number and the operation under way. */
TESSERA_GOLDEN_API int tessera_golden_assign_table_reset(tessera_golden_assign_table* handle);
/** Runs one clock cycle. Returns TESSERA_GOLDEN_BAD_ARGUMENT for a number outside its range, and
 * TESSERA_GOLDEN_BAD_OPERATION for an operation that changes before it was taken. */
TESSERA_GOLDEN_API int tessera_golden_assign_table_step(
    tessera_golden_assign_table* handle, const tessera_golden_assign_table_inputs* in,
    tessera_golden_assign_table_outputs* out);

/* ---- Detection unit: rtl/duplo_core ---------------------------------------------------------- */

/** Detection unit (Duplo, IV): ID generator, load history buffer and rename table as one pipe. It
 * takes a unit of a fragment in every cycle and answers 20 cycles later whether the unit needs a
 * load, and which register it has. An answer does not wait. A set-up takes 318 cycles. */
typedef struct tessera_golden_duplo_core tessera_golden_duplo_core;

typedef struct tessera_golden_duplo_core_inputs {
    uint32_t setup_valid;
    uint8_t setup_packet[32];  /**< convolution packet; rtl/id_generator/README.md has its fields */
    uint32_t setup_kernel_tag; /**< 8 bits */
    uint32_t setup_log_sets;   /**< log2 of the buffer's sets, 0 to 15 */
    uint32_t setup_log_ways;   /**< log2 of its ways, 0 to 7 */
    uint32_t setup_shift;      /**< low bits of an element id that the set index omits, 0 to 31 */
    uint32_t setup_fold;       /**< 1: fold upper bits and image into the set index */
    uint32_t setup_units;      /**< 15 bits */
    uint32_t setup_registers;  /**< 15 bits */
    uint32_t clear_valid;      /**< empty the buffer */
    uint32_t in_valid;
    uint32_t op; /**< 0: loaded, 1: loaded without a look-up, 2: has no register any more */
    uint32_t address_low;  /**< byte address */
    uint32_t address_high; /**< its upper 32 bits */
    uint32_t unit;         /**< 14 bits */
    uint32_t domain;       /**< 24 bits: units of one domain may share a register */
} tessera_golden_duplo_core_inputs;

typedef struct tessera_golden_duplo_core_outputs {
    uint32_t setup_ready;
    uint32_t setup_error; /**< a block refused its part of the last set-up */
    uint32_t clear_ready; /**< depends on setup_valid */
    uint32_t in_ready;    /**< depends on setup_valid and clear_valid */
    uint32_t out_valid;
    uint32_t kind;   /**< 0: hit, 1: zero, 2: miss, 3: bypass, 4: ended */
    uint32_t bypass; /**< of a bypass: bypass_e of rtl/id_generator/id_generator_pkg.sv */
    uint32_t unit;
    uint32_t phys; /**< register of the unit, 0 if it has none */
} tessera_golden_duplo_core_outputs;

/** Makes a detection unit in reset, which takes nothing before its first set-up. */
TESSERA_GOLDEN_API int tessera_golden_duplo_core_create(tessera_golden_duplo_core** handle);
/** Frees a detection unit; a null handle is allowed. */
TESSERA_GOLDEN_API void tessera_golden_duplo_core_destroy(tessera_golden_duplo_core* handle);
/** Drops units under way, mappings, entries and the set-up. */
TESSERA_GOLDEN_API int tessera_golden_duplo_core_reset(tessera_golden_duplo_core* handle);
/** Runs one clock cycle. Returns TESSERA_GOLDEN_BAD_ARGUMENT for an offered number outside its
 * range, and TESSERA_GOLDEN_BAD_OPERATION for what breaks the caller's part
 * (rtl/duplo_core/README.md): an accepted set-up with fewer registers than units, an accepted unit
 * that the set-up does not have or that was one of the last 15. */
TESSERA_GOLDEN_API int tessera_golden_duplo_core_step(tessera_golden_duplo_core* handle,
                                                      const tessera_golden_duplo_core_inputs* in,
                                                      tessera_golden_duplo_core_outputs* out);

#ifdef __cplusplus
}
#endif

#endif
