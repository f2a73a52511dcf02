import { encodeItems, ItemSums } from '../accumulators/item-sums.ts';
import { type PanesSettings, setsWithItems, setsWithPositions } from '../accumulators/panes-settings.ts';
import { PositionSums } from '../accumulators/position-sums.ts';
import type { RowParts } from '../accumulators/row.ts';
import { setText } from '../accumulators/store/layout.ts';
import { type ExposureKind, exposureOf } from '../measures/exposures.ts';
import { REGISTERS } from '../measures/item-hash.ts';
import type { ItemPart } from '../measures/item-part.ts';

/** What lists show. */
interface ShownTraffic {
  readonly itemsPerList: number;
  /** Different items that lists show. */
  readonly catalogue: number;
}

/** What one row takes for its items. */
interface RowItems {
  /** Exposures that are counted. */
  readonly counted: number;
  /** Of its text, in Redis. */
  readonly textBytes: number;
  /** In a worker. */
  readonly liveBytes: number;
}

/** Ids of items are taken to be as long as this one. */
const AN_ITEM = 'item012345';
/** What JSON puts around an item and its amount: quotes, a colon, a comma. */
const MARKS = 4;
/** Characters of a register while its text is sparse. */
const SPARSE_WIDTH = 3;
/** Of an exposure in a worker, beside its characters; of one in an exporter, which packs them. */
const LIVE_ENTRY_BYTES = 72;
const PACKED_ENTRY_BYTES = 8;
const NO_ITEMS: RowItems = { counted: 0, textBytes: 0, liveBytes: 0 };

/**
 * What minute rows keep beside their sums: the items that lists show, for measures of items, and counts by rank. Lists show items
 * evenly: of all spreads the one with most different items in a row.
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

  /** Of a row of so many lists of a grouping set. */
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

  /** Bytes in an exporter of the row of one pane with so many lists, those of all partitions together. */
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

  /** Counts by rank of a row of so many lists, a third of them with a positive at some rank; none where none are kept. */
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

  /** Items that so many lists show up to the rank of this part. */
  #different({ k }: ItemPart, lists: number): number {
    const { itemsPerList, catalogue } = this.#traffic;
    return filled(lists * Math.min(k, itemsPerList), catalogue);
  }

  /** Digits of the amount of an item that so many lists show, for each item. */
  #amountDigits(holds: ExposureKind, { k }: ItemPart, listsByItem: number): number {
    const ranks = Math.max(1, Math.min(k, Math.floor(this.#traffic.itemsPerList)));
    const shown = listsByItem * ranks * exposureOf(holds, Math.ceil(ranks / 2));
    return String(Math.max(1, Math.round(shown))).length;
  }
}

/** How many of `cells` get any of `things` that fall into them by chance. */
export function filled(things: number, cells: number): number {
  return cells * -Math.expm1(-things / cells);
}
