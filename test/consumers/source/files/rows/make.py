"""Writes the files of this folder: python3 make.py, with pyarrow 26 and zstandard."""
import datetime as dt
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import zstandard

HERE = Path(__file__).parent
at = dt.datetime(2026, 11, 21, 8, 0, 0, 123000)
schema = pa.schema([
    ("id", pa.int64()),
    ("small", pa.int32()),
    ("at", pa.timestamp("us", tz="UTC")),
    ("local", pa.timestamp("us")),
    ("day", pa.date32()),
    ("score", pa.float64()),
    ("shown", pa.bool_()),
    ("text", pa.string()),
    ("items", pa.list_(pa.string())),
    ("slots", pa.list_(pa.struct([("sku", pa.string()), ("rank", pa.int32())]))),
    ("user", pa.struct([("id", pa.string()), ("age", pa.int32())])),
])
full = {
    "id": 9007199254740993, "small": 7, "at": at.replace(tzinfo=dt.timezone.utc), "local": at, "day": at.date(), "score": 0.5,
    "shown": True, "text": "ü", "items": ["a", "b"], "slots": [{"sku": "a", "rank": 1}, {"sku": "b", "rank": 2}],
    "user": {"id": "u", "age": 30},
}
rows = [full] + [{**full, "id": n} for n in range(1, 6)] + [{"id": 6, "items": [], "shown": False}]
table = pa.Table.from_pylist(rows, schema=schema)
for codec in ["none", "snappy", "gzip", "brotli", "zstd", "lz4"]:
    pq.write_table(table, HERE / f"rows-{codec}.parquet", compression=codec, row_group_size=3)

text = "".join(f'{{"n":{n},"text":"row {n} of many"}}\n' for n in range(20_000))
(HERE / "rows.ndjson.zst").write_bytes(zstandard.ZstdCompressor(level=3, write_checksum=True).compress(text.encode()))

# Many small pages, of both versions and in every encoding: rows that go on over pages, lists in lists, maps, and nulls on every level.
cells = pa.schema([
    ("word", pa.string()),
    ("delta", pa.int64()),
    ("small", pa.int32()),
    ("split", pa.float64()),
    ("bit", pa.bool_()),
    ("suffix", pa.string()),
    ("length", pa.string()),
    ("list", pa.list_(pa.int64())),
    ("lists", pa.list_(pa.list_(pa.string()))),
    ("map", pa.map_(pa.string(), pa.int32())),
    ("part", pa.struct([("a", pa.string()), ("b", pa.list_(pa.struct([("c", pa.bool_())])))])),
])


def cell(n: int) -> dict:
    row = {
        "word": f"w{n % 7}", "delta": 10**12 + 17 * n, "small": n - 50, "split": n / 8, "bit": n % 9 > 0, "suffix": f"item-{n:06}",
        "length": "x" * (n % 13), "list": [n * k for k in range(2500 if n == 41 else n % 6)],
        "lists": [[f"{n}.{i}.{k}" if k % 3 else None for k in range(i)] for i in range(n % 4)],
        "map": [(f"k{k}", n) for k in range(n % 3)],
        "part": {"a": f"a{n}", "b": [{"c": k % 2 == 0} for k in range(n % 5)]},
    }
    return {name: None if n % 11 == i else value for i, (name, value) in enumerate(row.items())}


pages = pa.Table.from_pylist([cell(n) for n in range(300)], schema=cells)
encodings = {
    "delta": "DELTA_BINARY_PACKED", "small": "DELTA_BINARY_PACKED", "split": "BYTE_STREAM_SPLIT", "suffix": "DELTA_BYTE_ARRAY",
    "length": "DELTA_LENGTH_BYTE_ARRAY", "list.list.element": "DELTA_BINARY_PACKED",
}
for version in ["1.0", "2.0"]:
    pq.write_table(
        pages, HERE / f"pages-{version[0]}.parquet", data_page_version=version, data_page_size=200, write_batch_size=16, row_group_size=200,
        use_dictionary=["word", "lists.list.element.list.element"], column_encoding={**encodings, **({"bit": "RLE"} if version == "2.0" else {})},
    )
