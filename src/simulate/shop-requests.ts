import { assertNever, type DurationMs, type EpochMs } from '../vocabulary/events.ts';
import { fmix32 } from '../vocabulary/user-words.ts';
import { Delivery, Encoder, hex, type Scheduled } from './delivery.ts';
import { Choice, Random } from './random.ts';
import type { ShopItems, Visitors } from './shop-items.ts';
import { CANDIDATES, type ClickSettings, PAGE_LENGTH, type SimulationSettings } from './simulation-settings.ts';

/** The places where lists are shown. `intent` multiplies the attraction of all items there. */
const SURFACES = [
  { name: 'home', weight: 50, intent: 1 },
  { name: 'search', weight: 25, intent: 1.25 },
  { name: 'similar', weight: 15, intent: 0.9 },
  { name: 'cart', weight: 10, intent: 0.7 },
] as const;
/** Share of the requests that have a second page. */
const SECOND_PAGE = 0.08;
/** The second page comes at most this long after the first. */
export const LAST_PAGE: DurationMs = 30_000;

export interface Shop {
  readonly shopItems: ShopItems;
  readonly visitors: Visitors;
}

/** A user requests a list, sees it, and acts on it: one request after the other, each delivered to the topics. */
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
    this.#encoder = new Encoder(shop.shopItems, settings.variants, settings.plainItems);
    this.#ranker = new Ranker(shop.shopItems, stream('candidates'));
    this.#clickModel = clickModel(settings.clicks);
    this.#reactions = new Reactions(stream('reactions'), settings.window);
    this.#visits = stream('visits');
    this.#pages = stream('pages');
    this.#breaks = stream('regression');
    this.#clicks = stream('clicks');
    this.#stars = stream('stars');
    this.#run = hex(fmix32(settings.seed)).slice(4);
  }

  request(ts: EpochMs): void {
    const user = this.#shop.visitors.activity.pick(this.#visits);
    const surface = this.#surfaces.pick(this.#visits);
    const quality = this.#quality(ts, this.#shop.visitors.variant[user]);
    this.#ranker.rank(this.#shop.visitors.segment[user], quality);
    const lost = this.#delivery.losesRequest();
    const asksForMore = this.#pages.next() < SECOND_PAGE;
    const secondPage = asksForMore && this.#ranker.length > PAGE_LENGTH;
    const requestId = `r-${this.#run}${hex(fmix32(++this.#count))}`;
    this.#events = 0;
    this.#show({ requestId, ts, user, surface, quality, pageOffset: 0, lost, mayBeLate: !secondPage });
    if (!secondPage) return;
    const later = ts + 3_000 + Math.floor(this.#pages.next() * (LAST_PAGE - 3_000));
    this.#show({ requestId, ts: later, user, surface, quality, pageOffset: PAGE_LENGTH, lost, mayBeLate: false });
  }

  /** The ranker's quality for this request: 0 if the regression affects it. Draws one number in any case. */
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
    readonly pageOffset: number;
    readonly lost: boolean;
    readonly mayBeLate: boolean;
  }): void {
    const { shopItems, visitors } = this.#shop;
    const { items, scores, length } = this.#ranker;
    const { requestId, ts, user, quality, pageOffset, lost } = page;
    const end = Math.min(length, pageOffset + PAGE_LENGTH);
    const surface = SURFACES[page.surface];
    const value = this.#encoder.impression({
      requestId,
      ts,
      user,
      surface: surface.name,
      variant: visitors.variant[user],
      cohorts: visitors.cohorts(user),
      pageOffset,
      items,
      scores,
      end,
      quality,
    });
    const inTime = this.#delivery.impression(ts, requestId, value, lost, page.mayBeLate);
    const tastes = visitors.segment[user] * shopItems.size;
    for (let place = pageOffset; place < end; place++) {
      this.#attraction[place - pageOffset] = Math.min(1, surface.intent * shopItems.attraction[tastes + items[place]]);
    }
    if (this.#clickModel(this.#attraction, end - pageOffset, this.#clicked, this.#clicks) === 0) return;
    this.#reactions.react(ts, this.#clicked, end - pageOffset);
    for (let n = 0; n < this.#reactions.length; n++) {
      const { slot, action, ts: reactedAt } = this.#reactions.all[n];
      const item = items[pageOffset + slot];
      let worth = Number.NaN;
      if (action === 'purchase') worth = shopItems.prices[item] / 100;
      else if (action === 'rating') worth = stars(shopItems.attraction[tastes + item], this.#stars);
      const eventId = `e-${requestId.slice(2)}-${this.#events++}`;
      this.#delivery.feedback(reactedAt, ts, requestId, !inTime, (stamp) =>
        this.#encoder.feedback(requestId, eventId, item, stamp, action, worth),
      );
    }
  }
}

/**
 * Draws candidates by popularity and orders them by `quality * utility + sqrt(1 - quality^2) * noise`, both standard: the scores
 * correlate with the utility by `quality`. It draws the same numbers for any quality.
 */
export class Ranker {
  /** Items of the last ranking, best score first. Valid up to `length`; reused by the next one. */
  readonly items: Int32Array;
  readonly scores: Float64Array;
  readonly length: number;
  readonly #shopItems: ShopItems;
  readonly #random: Random;
  /** For each item the number of the last ranking that drew it. */
  readonly #drawn: Int32Array;
  #ranking = 0;

  constructor(shopItems: ShopItems, random: Random) {
    this.#shopItems = shopItems;
    this.#random = random;
    this.length = Math.min(CANDIDATES, shopItems.size);
    this.items = new Int32Array(this.length);
    this.scores = new Float64Array(this.length);
    this.#drawn = new Int32Array(shopItems.size);
  }

  /** @param quality 0..1 */
  rank(segment: number, quality: number): void {
    const { items, scores, length } = this;
    const { size, utility } = this.#shopItems;
    const noise = Math.sqrt(1 - quality * quality);
    this.#ranking = (this.#ranking + 1) | 0;
    for (let n = 0; n < length; n++) {
      const item = this.#draw();
      const score = quality * utility[segment * size + item] + noise * this.#random.normal();
      let place = n;
      for (; place > 0 && scores[place - 1] < score; place--) {
        scores[place] = scores[place - 1];
        items[place] = items[place - 1];
      }
      scores[place] = score;
      items[place] = item;
    }
  }

  /** Draws an item that this ranking does not have yet: one by popularity, or the next free one after it. */
  #draw(): number {
    let item = this.#shopItems.popularity.pick(this.#random);
    while (this.#drawn[item] === this.#ranking) item = item + 1 === this.#shopItems.size ? 0 : item + 1;
    this.#drawn[item] = this.#ranking;
    return item;
  }
}

const ACTIONS = ['click', 'add_to_cart', 'purchase', 'rating'] as const;

type Action = (typeof ACTIONS)[number];

/** One action of the user on one slot of the page. */
interface Reaction {
  slot: number;
  action: Action;
  ts: EpochMs;
}

const CART_AFTER_CLICK = 0.18;

const PURCHASE_AFTER_CART = 0.4;

const RATING_AFTER_PURCHASE = 0.3;

/** A mixture of exponential delays, in ms: with probability `slowly` the mean is `slow`, otherwise `fast`. */
interface Delay {
  readonly fast: DurationMs;
  readonly slow: DurationMs;
  readonly slowly: number;
}

const DELAYS: Readonly<Record<Action, Delay>> = {
  click: { fast: 6_000, slow: 60_000, slowly: 0.15 },
  add_to_cart: { fast: 30_000, slow: 180_000, slowly: 0.2 },
  purchase: { fast: 120_000, slow: 900_000, slowly: 0.4 },
  rating: { fast: 60_000, slow: 600_000, slowly: 0.5 },
};

/**
 * Actions that follow the clicks on a page. Clicks come one after the other down the page; each may lead to the cart, then to a
 * purchase, then to a rating. Every delay is cut to the rest of the attribution window, so that all event times are in [ts, ts +
 * window).
 */
class Reactions {
  /** The reactions to the last page. Valid up to `length`; reused by the next page. */
  readonly all: readonly Reaction[];
  length = 0;
  readonly #random: Random;
  readonly #window: DurationMs;

  constructor(random: Random, window: DurationMs) {
    this.all = Array.from({ length: PAGE_LENGTH * ACTIONS.length }, () => ({ slot: 0, action: 'click', ts: 0 }));
    this.#random = random;
    this.#window = window;
  }

  react(ts: EpochMs, clicked: Uint8Array, pageLength: number): void {
    this.length = 0;
    const end = ts + this.#window;
    const random = this.#random;
    let clickedAt = ts;
    for (let slot = 0; slot < pageLength; slot++) {
      if (clicked[slot] === 0) continue;
      clickedAt = this.#add(slot, 'click', clickedAt, end);
      if (random.next() >= CART_AFTER_CLICK) continue;
      const inCartAt = this.#add(slot, 'add_to_cart', clickedAt, end);
      if (random.next() >= PURCHASE_AFTER_CART) continue;
      const boughtAt = this.#add(slot, 'purchase', inCartAt, end);
      if (random.next() < RATING_AFTER_PURCHASE) this.#add(slot, 'rating', boughtAt, end);
    }
  }

  #add(slot: number, action: Action, after: EpochMs, end: EpochMs): EpochMs {
    const delay = DELAYS[action];
    const mean = this.#random.next() < delay.slowly ? delay.slow : delay.fast;
    const ts = Math.min(end - 1, after + Math.floor(this.#random.exponentialBelow(mean, end - after)));
    const reaction = this.all[this.length++];
    reaction.slot = slot;
    reaction.action = action;
    reaction.ts = ts;
    return ts;
  }
}

/** Stars from 1 to 5, with higher means for items with higher attraction. */
function stars(attraction: number, random: Random): number {
  return Math.max(1, Math.min(5, Math.round(2.5 + 3.5 * attraction + random.normal())));
}

/**
 * Decides which slots of one page are clicked. `attraction[s]`: the chance that the item of slot s (from 0) is clicked if
 * examined. Writes 1 or 0 into `clicked[s]` for each s < length; returns the number of clicks.
 */
type ClickModel = (attraction: Float64Array, length: number, clicked: Uint8Array, random: Random) => number;

export function clickModel(settings: ClickSettings): ClickModel {
  switch (settings.model) {
    case 'position':
      return positionModel(settings.eta);
    case 'cascade':
      return cascadeModel(settings.satisfaction, settings.perseverance);
    default:
      return assertNever(settings);
  }
}

/** Chance that rank r of a page is examined: r^-eta (Joachims, Swaminathan and Schnabel 2017). */
export function examination(rank: number, eta: number): number {
  return rank ** -eta;
}

/**
 * The examination hypothesis (Richardson, Dominowska and Ragno 2007; Craswell et al. 2008, hypothesis 3): a slot is clicked if it
 * is examined and its item attracts, independently. Draws two numbers per slot.
 */
function positionModel(eta: number): ClickModel {
  const theta = Float64Array.from({ length: PAGE_LENGTH }, (_, slot) => examination(slot + 1, eta));
  return (attraction, length, clicked, random) => {
    let clicks = 0;
    for (let slot = 0; slot < length; slot++) {
      const examined = random.next() < theta[slot];
      const attracted = random.next() < attraction[slot];
      clicked[slot] = examined && attracted ? 1 : 0;
      clicks += clicked[slot];
    }
    return clicks;
  };
}

/**
 * The user goes down the list and stops after a click that satisfies, otherwise continues with the chance `perseverance`
 * (Chapelle and Zhang 2009). With satisfaction 1 and perseverance 1 it is the cascade model of Craswell et al. 2008. Draws three
 * numbers per slot, examined or not.
 */
function cascadeModel(satisfaction: number, perseverance: number): ClickModel {
  return (attraction, length, clicked, random) => {
    let clicks = 0;
    let looking = true;
    for (let slot = 0; slot < length; slot++) {
      const attracted = random.next() < attraction[slot];
      const satisfied = random.next() < satisfaction;
      const goesOn = random.next() < perseverance;
      clicked[slot] = looking && attracted ? 1 : 0;
      clicks += clicked[slot];
      if ((clicked[slot] === 1 && satisfied) || !goesOn) looking = false;
    }
    return clicks;
  };
}
