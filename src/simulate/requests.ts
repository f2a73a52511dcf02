import type { EpochMs } from '../vocabulary/events.ts';
import type { Catalogue } from './catalogue.ts';
import { Choice } from './choice.ts';
import { type ClickModel, clickModel } from './clicks.ts';
import { Delivery, type Scheduled } from './delivery.ts';
import { Encoder, hex } from './encode.ts';
import { mix32, Random } from './random.ts';
import { Ranker } from './ranker.ts';
import { Reactions, stars } from './reactions.ts';
import { PAGE_LENGTH, type SimulationSettings } from './settings.ts';
import type { Visitors } from './visitors.ts';

/** Where lists are shown. `intent` multiplies the attraction of all items there. */
const SURFACES = [
  { name: 'home', weight: 50, intent: 1 },
  { name: 'search', weight: 25, intent: 1.25 },
  { name: 'similar', weight: 15, intent: 0.9 },
  { name: 'cart', weight: 10, intent: 0.7 },
] as const;
/** Share of the requests that ask for a second page. */
const SECOND_PAGE = 0.08;

export interface Shop {
  readonly catalogue: Catalogue;
  readonly visitors: Visitors;
}

/** A user asks for a list, sees it, and does things: one request after the other, each brought to the topics. */
export class Requests {
  readonly #shop: Shop;
  readonly #settings: SimulationSettings;
  readonly #delivery: Delivery;
  readonly #encoder: Encoder;
  readonly #ranker: Ranker;
  readonly #clickModel: ClickModel;
  readonly #reactions: Reactions;
  readonly #surfaces = new Choice(SURFACES.map(({ weight }) => weight));
  readonly #visits: Random;
  readonly #pages: Random;
  readonly #breaks: Random;
  readonly #clicks: Random;
  readonly #stars: Random;
  readonly #attraction = new Float64Array(PAGE_LENGTH);
  readonly #clicked = new Uint8Array(PAGE_LENGTH);
  readonly #run: string;
  #count = 0;
  #events = 0;

  /** @param streams prefix of the names of its random streams */
  constructor(shop: Shop, settings: SimulationSettings, streams: string, send: (record: Scheduled) => void) {
    const stream = (purpose: string): Random => new Random(settings.seed, `${streams}${purpose}`);
    this.#shop = shop;
    this.#settings = settings;
    this.#delivery = new Delivery(settings, streams, send);
    this.#encoder = new Encoder(shop.catalogue, settings.variants, settings.plainItems);
    this.#ranker = new Ranker(shop.catalogue, stream('candidates'));
    this.#clickModel = clickModel(settings.clicks);
    this.#reactions = new Reactions(stream('reactions'), settings.window);
    this.#visits = stream('visits');
    this.#pages = stream('pages');
    this.#breaks = stream('regression');
    this.#clicks = stream('clicks');
    this.#stars = stream('stars');
    this.#run = hex(mix32(settings.seed)).slice(4);
  }

  request(ts: EpochMs): void {
    const user = this.#shop.visitors.activity.pick(this.#visits);
    const surface = this.#surfaces.pick(this.#visits);
    const quality = this.#quality(ts, this.#shop.visitors.variant[user]);
    this.#ranker.rank(this.#shop.visitors.segment[user], quality);
    const lost = this.#delivery.losesRequest();
    const asksForMore = this.#pages.next() < SECOND_PAGE;
    const secondPage = asksForMore && this.#ranker.length > PAGE_LENGTH;
    const requestId = `r-${this.#run}${hex(mix32(++this.#count))}`;
    this.#events = 0;
    this.#show({ requestId, ts, user, surface, quality, offset: 0, lost, mayBeLate: !secondPage });
    if (!secondPage) return;
    const later = ts + 3_000 + Math.floor(this.#pages.next() * 27_000);
    this.#show({ requestId, ts: later, user, surface, quality, offset: PAGE_LENGTH, lost, mayBeLate: false });
  }

  /** The ranker's quality for this request: 0 where the regression strikes. Draws one number, regression or not. */
  #quality(ts: EpochMs, variant: number): number {
    const { variants, regression } = this.#settings;
    const chance = this.#breaks.next();
    if (regression === undefined || variants[variant].name !== regression.variant) return variants[variant].quality;
    const strikes = ts >= regression.from && ts < regression.to && chance < regression.share;
    return strikes ? 0 : variants[variant].quality;
  }

  #show(page: {
    readonly requestId: string;
    readonly ts: EpochMs;
    readonly user: number;
    readonly surface: number;
    readonly quality: number;
    readonly offset: number;
    readonly lost: boolean;
    readonly mayBeLate: boolean;
  }): void {
    const { catalogue, visitors } = this.#shop;
    const { items, scores, length } = this.#ranker;
    const { requestId, ts, user, quality, offset, lost } = page;
    const end = Math.min(length, offset + PAGE_LENGTH);
    const surface = SURFACES[page.surface];
    const value = this.#encoder.impression({
      requestId,
      ts,
      user,
      surface: surface.name,
      variant: visitors.variant[user],
      cohorts: visitors.cohorts(user),
      offset,
      items,
      scores,
      end,
      quality,
    });
    const inTime = this.#delivery.impression(ts, requestId, value, lost, page.mayBeLate);
    const tastes = visitors.segment[user] * catalogue.size;
    for (let place = offset; place < end; place++) {
      this.#attraction[place - offset] = Math.min(1, surface.intent * catalogue.attraction[tastes + items[place]]);
    }
    if (this.#clickModel(this.#attraction, end - offset, this.#clicked, this.#clicks) === 0) return;
    this.#reactions.react(ts, this.#clicked, end - offset);
    for (let n = 0; n < this.#reactions.length; n++) {
      const { slot, action, ts: reactedAt } = this.#reactions.all[n];
      const item = items[offset + slot];
      let worth = Number.NaN;
      if (action === 'purchase') worth = catalogue.prices[item] / 100;
      else if (action === 'rating') worth = stars(catalogue.attraction[tastes + item], this.#stars);
      const eventId = `e-${requestId.slice(2)}-${this.#events++}`;
      this.#delivery.feedback(reactedAt, ts, requestId, !inTime, (stamp) =>
        this.#encoder.feedback(requestId, eventId, item, stamp, action, worth),
      );
    }
  }
}
