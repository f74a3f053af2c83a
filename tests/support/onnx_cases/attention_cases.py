"""Attention and RotaryEmbedding: after attention.py and rotary_embedding.py of ONNX's node cases."""

import numpy as np

from case_files import drawn

NOTHING = -np.inf


def by_head(x, heads):
    """batch x rows x (heads x depth) as batch x heads x rows x depth."""
    return x if x.ndim == 4 else x.reshape(*x.shape[:2], heads, -1).transpose(0, 2, 1, 3)


def attention(q, k, v, mask=None, past=None, heads=None, kv_heads=None, causal=False, scale=None, cap=0, mode=0):
    """Result, present key and value, and the scores of a mode."""
    flat = q.ndim == 3
    q, k, v = by_head(q.astype(np.float64), heads), by_head(k, kv_heads), by_head(v, kv_heads)
    before = 0
    if past is not None:
        before = past[0].shape[2]
        k, v = np.concatenate((past[0], k), axis=2), np.concatenate((past[1], v), axis=2)
    present = k, v
    group = q.shape[1] // k.shape[1]
    k, v = np.repeat(k, group, axis=1), np.repeat(v, group, axis=1)
    scores = q @ k.transpose(0, 1, 3, 2) * (1 / np.sqrt(q.shape[3]) if scale is None else scale)
    of_mode = {0: scores}
    if cap > 0:
        scores = cap * np.tanh(scores / cap)
    of_mode[CAPPED] = scores
    if mask is not None:
        added = np.where(mask, 0, NOTHING) if mask.dtype == np.bool_ else mask
        missing = scores.shape[-1] - added.shape[-1]
        scores = scores + np.pad(added, [(0, 0)] * (added.ndim - 1) + [(0, missing)], constant_values=NOTHING)
    if causal:
        rows, columns = np.indices(scores.shape[-2:])
        scores = np.where(columns > rows + before, NOTHING, scores)
    of_mode[MASKED] = scores
    shares = np.exp(scores - scores.max(axis=-1, keepdims=True))
    shares /= shares.sum(axis=-1, keepdims=True)
    of_mode[3] = shares
    result = shares @ v
    if flat:
        result = result.transpose(0, 2, 1, 3).reshape(*q.shape[:1], q.shape[2], -1)
    return result.astype(np.float32), *(one.astype(np.float32) for one in present), of_mode[mode].astype(np.float32)


CAPPED, MASKED = 1, 2  # qk_matmul_output_mode


def add(cases, name, q, k, v, outputs=1, mask=None, past=None, **how):
    inputs = {"Q": q, "K": k, "V": v, "attn_mask": mask}
    if past is not None:
        inputs.update(past_key=past[0], past_value=past[1])
    elif mask is None:
        del inputs["attn_mask"]
    results = attention(q, k, v, mask, past, **how)
    names = ["Y", "present_key", "present_value", "qk_matmul_output"][:outputs]
    attributes = {"heads": "q_num_heads", "kv_heads": "kv_num_heads", "causal": "is_causal", "scale": "scale", "cap": "softcap",
                  "mode": "qk_matmul_output_mode"}
    cases.one(f"attention_{name}", 23, "Attention", inputs, dict(zip(names, results)),
              **{attributes[key]: int(value) if key == "causal" else value for key, value in how.items()})


def add_attention(cases):
    q, k, v = (drawn(2, 3, 4, 8, seed=1), drawn(2, 3, 6, 8, seed=2), drawn(2, 3, 6, 8, seed=3))
    wide = drawn(2, 3, 6, 10, seed=4)
    add(cases, "4d", q, k, v)
    add(cases, "4d_scaled", q, k, v, scale=1e-2)
    add(cases, "4d_causal", q, k, v, causal=True)
    add(cases, "4d_softcap", q, k, v, cap=2.0)
    add(cases, "4d_diff_heads_sizes", q, k, wide)
    add(cases, "4d_attn_mask", q, k, v, mask=drawn(4, 6, seed=5))
    add(cases, "4d_attn_mask_3d", q, k, v, mask=drawn(1, 4, 6, seed=5))
    add(cases, "4d_attn_mask_4d", q, k, v, mask=drawn(2, 3, 4, 6, seed=5))
    add(cases, "4d_attn_mask_4d_causal", q, k, v, mask=drawn(2, 1, 4, 6, seed=5), causal=True)
    truth = drawn(4, 6, seed=6) > 0
    truth[:, 0] = True
    add(cases, "4d_attn_mask_bool", q, k, v, mask=truth)
    add(cases, "4d_attn_mask_bool_softcap", q, k, v, mask=truth, cap=2.0)
    add(cases, "4d_with_qk_matmul", q, k, v, outputs=4, mask=drawn(4, 6, seed=5))
    add(cases, "4d_with_qk_matmul_bias", q, k, v, outputs=4, mask=drawn(4, 6, seed=5), mode=MASKED)
    add(cases, "4d_with_qk_matmul_softcap", q, k, v, outputs=4, mask=drawn(4, 6, seed=5), cap=2.0, mode=CAPPED)
    add(cases, "4d_with_qk_matmul_softmax", q, k, v, outputs=4, mask=drawn(4, 6, seed=5), mode=3)
    past = drawn(2, 3, 12, 8, seed=7), drawn(2, 3, 12, 8, seed=8)
    add(cases, "4d_with_past_and_present", q, k, v, outputs=3, mask=drawn(4, 18, seed=5), past=past)
    add(cases, "4d_with_past_and_present_causal", q, k, v, outputs=3, past=past, causal=True)
    more = drawn(2, 9, 4, 8, seed=9)
    add(cases, "4d_gqa", more, k, v)
    add(cases, "4d_gqa_attn_mask", more, k, v, mask=drawn(4, 6, seed=5))
    q, k, v = (drawn(2, 4, 24, seed=1), drawn(2, 6, 24, seed=2), drawn(2, 6, 24, seed=3))
    add(cases, "3d", q, k, v, heads=3, kv_heads=3)
    add(cases, "3d_causal", q, k, v, heads=3, kv_heads=3, causal=True)
    add(cases, "3d_gqa", drawn(2, 4, 72, seed=1), k, v, heads=9, kv_heads=3)
    add(cases, "3d_attn_mask", q, k, v, mask=drawn(4, 6, seed=5), heads=3, kv_heads=3)
    add(cases, "3d_with_past_and_present", q, k, v, outputs=3, past=past, heads=3, kv_heads=3)


def rotated(x, cosines, sines, positions=None, interleaved=False, dim=0, heads=0):
    flat = x.ndim == 3
    heads_first = by_head(x, heads)
    dim = dim or heads_first.shape[3]
    if positions is not None:
        cosines, sines = cosines[positions], sines[positions]
    cosines, sines = cosines[:, None], sines[:, None]
    pairs = (slice(0, dim, 2), slice(1, dim, 2)) if interleaved else (slice(0, dim // 2), slice(dim // 2, dim))
    a, b = (heads_first[..., pair] for pair in pairs)
    result = heads_first.copy()
    result[..., pairs[0]] = cosines * a - sines * b
    result[..., pairs[1]] = sines * a + cosines * b
    return result.transpose(0, 2, 1, 3).reshape(x.shape) if flat else result


def add_rotary(cases):
    x = drawn(2, 4, 3, 8, seed=1)
    cosines, sines = drawn(50, 4, seed=2), drawn(50, 4, seed=3)
    positions = np.random.RandomState(4).randint(0, 50, (2, 3)).astype(np.int64)

    def one(name, x, cosines, sines, positions=None, **how):
        inputs = {"input": x, "cos_cache": cosines, "sin_cache": sines}
        if positions is not None:
            inputs["position_ids"] = positions
        attributes = {"interleaved": "interleaved", "dim": "rotary_embedding_dim", "heads": "num_heads"}
        cases.one("rotary_embedding" + name, 23, "RotaryEmbedding", inputs,
                  {"output": rotated(x, cosines, sines, positions, **how)},
                  **{attributes[key]: int(value) for key, value in how.items()})

    one("", x, cosines, sines, positions)
    one("_interleaved", x, cosines, sines, positions, interleaved=True)
    one("_with_rotary_dim", x, cosines[:, :2], sines[:, :2], positions, dim=4)
    one("_with_interleaved_rotary_dim", x, cosines[:, :2], sines[:, :2], positions, dim=4, interleaved=True)
    own = drawn(2, 3, 4, seed=5), drawn(2, 3, 4, seed=6)
    one("_no_position_ids", x, *own)
    one("_no_position_ids_interleaved", x, *own, interleaved=True)
    flat = drawn(2, 3, 32, seed=7)
    one("_3d_input", flat, cosines, sines, positions, heads=4)
    one("_no_position_ids_rotary_dim_3d", flat, own[0][..., :2], own[1][..., :2], dim=4, heads=4)


def add_to(cases):
    add_attention(cases)
    add_rotary(cases)
