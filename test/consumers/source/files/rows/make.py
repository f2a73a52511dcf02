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
