/** Writes a plan of the scanner into the engine's memory, where it is read for each record (wasm/scan/program.ts). */
import { CASE, CONDITION, CONTEXT, KEY, MOVE, NODE, PLACES, PROGRAM } from '../engine/engine-layout.ts';
import type { PlanCase, PlanCondition, PlanMove, PlanNode, ScanPlan } from './scan-plan.ts';

/** The bytes of a program that is to stand at an address, and that of its head. */
export interface ScanProgram {
  readonly bytes: Uint8Array;
  readonly at: number;
}

/** @param address of the block, which its size does not depend on */
export function scanProgram(plan: ScanPlan, address: number): ScanProgram {
  const writer = new Writer(address);
  const at = writer.program(plan);
  return { bytes: writer.bytes(), at };
}

/** The least power of two that most programs fit into. */
const ROOM = 4096;

class Writer {
  readonly #address: number;
  #buffer = Buffer.alloc(ROOM);
  #size = 0;

  constructor(address: number) {
    this.#address = address;
  }

  bytes(): Uint8Array {
    return this.#buffer.subarray(0, this.#size);
  }

  program({ root, context, spans, cases }: ScanPlan): number {
    return this.#words(PROGRAM.BYTES, [
      [PROGRAM.root, this.#node(root)],
      [PROGRAM.contextEnd, CONTEXT + context.length],
      [PROGRAM.spans, spans],
      [PROGRAM.cases, this.#list(cases, CASE.BYTES, (one) => this.#case(one))],
      [PROGRAM.caseCount, cases.length],
    ]);
  }

  #node({ keys, scalars }: PlanNode): number {
    const list = this.#list(keys, KEY.BYTES, ({ name, field, node, items }) => {
      const text = `"${name}":`;
      const length = text.length;
      const first = Buffer.alloc(16);
      first.write(text, 'latin1');
      return [
        ...[KEY.first, KEY.second, KEY.third, KEY.fourth].map((word, i) => [word, first.readUInt32LE(4 * i)] as const),
        [KEY.mask, 2 ** Math.min(length, 16) - 1],
        [KEY.length, length],
        [KEY.rest, length > 16 ? this.#text(text.slice(16))[0] : 0],
        [KEY.field, field >>> 0],
        [KEY.node, node === undefined ? 0 : this.#node(node)],
        [KEY.items, items === undefined ? 0 : this.#node(items)],
      ];
    });
    const at = this.#words(NODE.BYTES + PLACES, [
      [NODE.keys, list],
      [NODE.count, keys.length],
      [NODE.scalars, scalars ? 1 : 0],
    ]);
    // Nothing has been seen at any position.
    this.#buffer.fill(0xff, at - this.#address + NODE.BYTES, at - this.#address + NODE.BYTES + PLACES);
    return at;
  }

  #case({ conditions, moves }: PlanCase): Words {
    return [
      [CASE.conditions, this.#list(conditions, CONDITION.BYTES, (one) => this.#condition(one))],
      [CASE.conditionCount, conditions.length],
      [CASE.moves, this.#list(moves, MOVE.BYTES, (one) => this.#move(one))],
      [CASE.moveCount, moves.length],
    ];
  }

  #condition({ span, kind, values }: PlanCondition): Words {
    const texts = values.map((value) => this.#text(value));
    return [
      [CONDITION.span, span],
      [CONDITION.kind, kind],
      [
        CONDITION.values,
        this.#list(texts, 8, ([from, to]) => [
          [0, from],
          [1, to],
        ]),
      ],
      [CONDITION.valueCount, values.length],
    ];
  }

  #move({ field, from }: PlanMove): Words {
    if (typeof from === 'number')
      return [
        [MOVE.field, field],
        [MOVE.span, from],
      ];
    const [begin, end] = this.#text(from);
    return [
      [MOVE.field, field],
      [MOVE.from, begin],
      [MOVE.to, end],
    ];
  }

  /** Begin and end of a text, behind which zeros end every loop. */
  #text(text: string): readonly [number, number] {
    const at = this.#place(text.length + 16);
    this.#buffer.write(text, at, 'latin1');
    return [this.#address + at, this.#address + at + text.length];
  }

  #list<Of>(all: readonly Of[], bytes: number, wordsOf: (one: Of) => Words): number {
    const words = all.map(wordsOf);
    const at = this.#place(bytes * all.length);
    for (const [i, own] of words.entries()) this.#write(at + bytes * i, own);
    return this.#address + at;
  }

  #words(bytes: number, words: Words): number {
    const at = this.#place(bytes);
    this.#write(at, words);
    return this.#address + at;
  }

  #write(at: number, words: Words): void {
    for (const [word, value] of words) this.#buffer.writeUInt32LE(value, at + 4 * word);
  }

  #place(bytes: number): number {
    const at = (this.#size + 15) & ~15;
    this.#size = at + bytes;
    if (this.#size > this.#buffer.length) {
      const larger = Buffer.alloc(2 ** Math.ceil(Math.log2(this.#size)));
      larger.set(this.#buffer);
      this.#buffer = larger;
    }
    return at;
  }
}

/** Values of 32 bits by their index. */
type Words = readonly (readonly [word: number, value: number])[];
