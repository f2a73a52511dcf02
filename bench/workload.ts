/**
 * The traffic that every case uses: impressions of 20 items `{id, score}` (about 980 bytes of JSON), 1.5 feedback of about
 * 185 bytes each, lag exponential with mean 150 s, arrival up to 5 s out of order. Seeded: the same for every run.
 */
export interface WorkloadRecord {
  readonly topic: 0 | 1;
  /** Time of arrival. */
  readonly at: number;
  readonly value: Buffer;
  readonly requestId: string;
  /** Event time, and that of the impression. */
  readonly ts: number;
  readonly shown: number;
}

const START = 1_760_000_040_000;
const COUNTRIES = ['DE', 'DE', 'FR', 'BR', 'JP', 'US', 'US', 'US'];

export function randomStream(seed: number): () => number {
  let a = seed >>> 0;
  return () => {
    a = (a + 0x6d2b79f5) | 0;
    let t = Math.imul(a ^ (a >>> 15), 1 | a);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** Records in order of arrival. `perSecond`: impressions per second of event time. */
export function makeWorkload(impressions: number, perSecond: number, seed = 1): WorkloadRecord[] {
  const random = randomStream(seed);
  const hex = (digits: number): string =>
    Array.from({ length: digits }, () => Math.floor(random() * 16).toString(16)).join('');
  const uuid = (): string => `${hex(8)}-${hex(4)}-7${hex(3)}-a${hex(3)}-${hex(12)}`;
  const records: WorkloadRecord[] = [];
  for (let k = 0; k < impressions; k++) {
    const ts = Math.floor(START + (k / perSecond) * 1000);
    const requestId = uuid();
    const variant = random() < 0.5 ? 'A' : 'B';
    const items = Array.from({ length: 20 }, (_, i) => ({
      id: `itm_${1_000_000 + Math.floor(random() * 8_999_999)}`,
      score: Math.round((1 - i * 0.03 - random() * 0.02) * 1e5) / 1e5,
    }));
    const impression = {
      requestId,
      ts,
      userId: `u_${Math.floor(random() * 1e8)}`,
      sessionId: `s_${hex(8)}`,
      surface: 'home_feed',
      variant,
      cohorts: { country: COUNTRIES[Math.floor(random() * COUNTRIES.length)] },
      model: { name: 'ranker', version: `2026.${1 + Math.floor(random() * 11)}` },
      items,
    };
    records.push({
      topic: 0,
      at: ts + random() * 5000,
      value: Buffer.from(JSON.stringify(impression)),
      requestId,
      ts,
      shown: ts,
    });
    const u = random();
    const clicks = u < 0.4 ? 0 : u < 0.58 ? 1 : u < 0.73 ? 2 : u < 0.85 ? 3 : u < 0.95 ? 4 : 5;
    for (let j = 0; j < clicks; j++) {
      const lag = Math.min(1_799_999, Math.floor(-Math.log(1 - random()) * 150_000));
      const purchase = random() < 0.15;
      const feedback = {
        requestId,
        itemId: items[Math.floor(random() ** 2 * 20)].id,
        ts: ts + lag,
        action: purchase ? 'purchase' : 'click',
        eventId: uuid(),
        value: purchase ? 1 + Math.floor(random() * 90) : 1,
      };
      records.push({
        topic: 1,
        at: ts + lag + random() * 5000,
        value: Buffer.from(JSON.stringify(feedback)),
        requestId,
        ts: ts + lag,
        shown: ts,
      });
    }
  }
  return records.sort((a, b) => a.at - b.at);
}

export const HORIZONS = [
  { text: '1m', ms: 60_000 },
  { text: '5m', ms: 300_000 },
  { text: '30m', ms: 1_800_000 },
];
export const MEASURES = ['mrr', 'precision@5', 'precision@10', 'ndcg@10', 'recall@10', 'ap@10', 'hit@10'];
export const SETS = [[], ['variant'], ['variant', 'country']];
export const DIMENSIONS = ['country', 'variant'];
export const ACTIONS = ['click', 'purchase'];
