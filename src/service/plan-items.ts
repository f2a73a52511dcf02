import { encodeItems, ItemSums } from '../accumulators/item-sums.ts';
import { type PanesSettings, setsWithItems, setsWithPositions } from '../accumulators/panes-settings.ts';
import { PositionSums } from '../accumulators/position-sums.ts';
import type { RowParts } from '../accumulators/row.ts';
import { setText } from '../accumulators/store/layout.ts';
import { type ExposureKind, exposureOf } from '../measures/exposures.ts';
import type { ItemPart } from '../measures/item-part.ts';
import { REGISTERS } from '../measures/registers.ts';

/** The lists of the expected traffic. */
interface ShownTraffic {
  readonly itemsPerList: number;
  /** Number of different items in all lists. */
  readonly catalogue: number;
}

/** Memory that one row takes for its items. */
interface RowItems {
  /** Number of exposures that are counted. */
  readonly counted: number;
  /** Bytes of its text in Redis. */
  readonly textBytes: number;
  /** Bytes in a worker. */
  readonly liveBytes: number;
}

/** An item id of the assumed length. */
const AN_ITEM = 'item012345';
/** Characters that JSON adds to an item and its amount: quotes, a colon, a comma. */
const MARKS = 4;
/** Characters of a register in the sparse form. */
const SPARSE_WIDTH = 3;
/** Bytes of an exposure besides its characters, in a worker and in an exporter, which packs them. */
const LIVE_ENTRY_BYTES = 72;
const PACKED_ENTRY_BYTES = 8;
const NO_ITEMS: RowItems = { counted: 0, textBytes: 0, liveBytes: 0 };

/**
 * What minute rows keep besides their sums: the items of lists, for measures of items, and counts by rank. Lists are assumed to
 * show all items evenly, which gives a row the most different items.
 */
export class ItemPlan {
  readonly #panes: Omit<PanesSettings, 'owner' | 'closedUpTo'>;
  readonly #traffic: ShownTraffic;
  readonly #withItems: ReadonlySet<string>;
  readonly #withPositions: ReadonlySet<string>;

  constructor(panes: Omit<PanesSettings, 'owner' | 'closedUpTo'>, traffic: ShownTraffic) {
    this.#panes = panes;
    this.#traffic = traffic;
    this.#withItems = setsWithItems(panes);
    this.#withPositions = setsWithPositions(panes);
  }

  /** The items of a row of `lists` lists of a grouping set. */
  itemsOf(by: readonly string[], lists: number): RowItems {
    const { items } = this.#panes.shape;
    if (items === undefined || !this.#withItems.has(setText(by))) return NO_ITEMS;
    const empty = new ItemSums(items);
    let counted = 0;
    let textBytes = `,"items":${encodeItems(empty)}`.length + items.parts.length * (String(lists).length - 1);
    let liveBytes = empty.bytes;
    for (const part of items.parts) {
      const { holds } = part;
      const different = this.#different(part, lists);
      if (holds === 'registers') {
        textBytes += Math.min(REGISTERS, SPARSE_WIDTH * filled(different, REGISTERS));
        continue;
      }
      const known = Math.min(different, items.limit);
      counted += known;
      textBytes += known * (AN_ITEM.length + MARKS + this.#amountDigits(holds, part, lists / different));
      liveBytes += known * (LIVE_ENTRY_BYTES + AN_ITEM.length);
    }
    return { counted, textBytes, liveBytes };
  }

  /** Bytes in an exporter of the row of one pane with `lists` lists, all partitions together. */
  shownBytes(by: readonly string[], lists: number): number {
    const { items } = this.#panes.shape;
    if (items === undefined || !this.#withItems.has(setText(by))) return 0;
    return items.parts.reduce(
      (sum, part) =>
        sum +
        (part.holds === 'registers'
          ? REGISTERS
          : PACKED_ENTRY_BYTES * Math.min(this.#different(part, lists), items.limit)),
      0,
    );
  }

  /** Counts by rank of a row of `lists` lists, a third of them with a positive at some rank; none if they are not kept. */
  positionsOf(by: readonly string[], horizon: number, lists: number): Pick<RowParts, 'positions'> {
    const { shape, positions } = this.#panes;
    if (shape.ranks === undefined || positions?.horizon !== horizon || !this.#withPositions.has(setText(by))) {
      return { positions: undefined };
    }
    const kept = new PositionSums(shape.ranks);
    const ranks = Math.min(shape.ranks, Math.floor(this.#traffic.itemsPerList));
    kept.exposed.fill(lists, 0, ranks);
    kept.positives.fill(Math.ceil(lists / 3 / ranks), 0, ranks);
    return { positions: kept };
  }

  /** Expected number of different items that `lists` lists show up to the rank of this part. */
  #different({ k }: ItemPart, lists: number): number {
    const { itemsPerList, catalogue } = this.#traffic;
    return filled(lists * Math.min(k, itemsPerList), catalogue);
  }

  /** Number of digits of the amount of one item that `listsByItem` lists show. */
  #amountDigits(holds: ExposureKind, { k }: ItemPart, listsByItem: number): number {
    const ranks = Math.max(1, Math.min(k, Math.floor(this.#traffic.itemsPerList)));
    const shown = listsByItem * ranks * exposureOf(holds, Math.ceil(ranks / 2));
    return String(Math.max(1, Math.round(shown))).length;
  }
}

/** Expected number of `cells` that get any of `things`, which fall into them at random. */
export function filled(things: number, cells: number): number {
  return cells * -Math.expm1(-things / cells);
}
