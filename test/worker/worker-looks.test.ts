import { describe, expect, it } from 'vitest';
import { FORMAT_VERSION, unitKey } from '../../src/accumulators/store/layout.ts';
import { type Commit, StoreUnavailable } from '../../src/accumulators/store/store-port.ts';
import {
  decodeLooks,
  type ExperimentLooks,
  encodeLooks,
  NO_EXPERIMENT_LOOKS,
} from '../../src/experiment/experiment-looks.ts';
import { takeLooks } from '../../src/experiment/take-looks.ts';
import { LOOK_EVERY, ShopService, stateIn } from '../experiment-service.ts';
import { BEGIN, EXPERIMENT, NAMESPACE } from '../experiment-shop.ts';

const UNITS = [0, 1].map((unit) => unitKey(NAMESPACE, unit));
const WORSE = { A: 1, B: 3 };
const BETTER = { A: 3, B: 1 };

/** Follows the looks of a service from outside: one for each state at which somebody wanted to look, if time has moved. */
class PlainLooks {
  looks: ExperimentLooks = NO_EXPERIMENT_LOOKS;
  readonly times: number[] = [];
  #asOf = Number.NEGATIVE_INFINITY;
  readonly #experiment: typeof EXPERIMENT;

  constructor(service: ShopService, experiment = EXPERIMENT) {
    this.#experiment = experiment;
    service.onLabel = (label) => {
      // What unit 0 holds in memory is stored then: a commit went before, and nothing has come since.
      if (label === 'look wanted') this.#take(service);
    };
  }

  #take({ store, clock }: ShopService): void {
    const state = stateIn(store.inner.snapshot(), this.#experiment);
    if (state.asOf === undefined || state.asOf <= this.#asOf) return;
    this.#asOf = state.asOf;
    this.times.push(clock.now());
    this.looks = takeLooks({ ...state, looks: this.looks });
  }

  get fields(): ReadonlyMap<string, string> {
    return encodeLooks(this.looks, this.#experiment);
  }
}

function withLooks(commits: readonly Commit[]): readonly Commit[] {
  return commits.filter(({ rows }) => [...rows.keys()].some((key) => key.includes(':looks:')));
}

/** The evidence of all that was ever stored, in the order of the commits: by field. */
function evidence(commits: readonly Commit[]): ReadonlyMap<string, readonly number[]> {
  const all = new Map<string, number[]>();
  for (const { rows } of commits) {
    for (const [key, fields] of rows) {
      if (!key.includes(':looks:')) continue;
      for (const [field, text] of fields) {
        if (/^(?:rules|settings|fields)$|\|(?:decision$|point\|)/.test(field)) continue;
        const [logE]: readonly number[] = JSON.parse(text);
        all.set(field, [...(all.get(field) ?? []), logE]);
      }
    }
  }
  return all;
}

/** What was stored but for the points of looks, and the number of fields, which counts them. */
function withoutPoints(fields: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  return new Map([...fields].filter(([field]) => !field.includes('|point|') && field !== 'fields'));
}

/** In the order of time. */
function pointsIn(fields: ReadonlyMap<string, string>): readonly string[] {
  return [...fields].flatMap(([field, text]) => (field.includes('|point|') ? [text] : [])).sort();
}

describe('the looks of a worker', () => {
  it('are those at the totals of all units, once in a minute, stored with commits of unit 0', async () => {
    const service = new ShopService();
    const plain = new PlainLooks(service);
    const running = await service.start();
    await service.live(300, WORSE);
    await service.clock.advance(2000);
    expect(plain.times).toHaveLength(5);
    expect(service.looks()).toEqual(plain.fields);
    const looks = decodeLooks(service.looks(), EXPERIMENT.horizon.text);
    expect(looks.decisions.get('B')?.label).toBe('regressed');
    expect(looks.measures.get('B')?.get('ndcg@10')?.worse?.logE).toBeGreaterThan(5);

    const commits = withLooks(service.store.commits);
    expect(commits).toHaveLength(5);
    expect(new Set(commits.map(({ unit }) => unit))).toEqual(new Set([UNITS[0]]));
    expect(service.warnings).toEqual([]);
    await running.stop();
  });

  it('see what only another worker has committed', async () => {
    const service = new ShopService();
    const plain = new PlainLooks(service);
    const [first, second] = [await service.start([0]), await service.start([1])];
    await service.live(240, WORSE);
    await service.clock.advance(2000);
    expect(service.looks()).toEqual(plain.fields);
    const state = stateIn(service.store.inner.snapshot(), EXPERIMENT);
    const half = state.variants.get('A')?.impressions ?? 0;
    // 240 s but the last minute and what may come out of order, in two partitions.
    expect(half).toBeGreaterThan(2 * 170);
    expect(second.labels).not.toContain('look wanted');
    expect(first.labels.filter((label) => label === 'look wanted')).toHaveLength(4);
    expect([...service.store.inner.snapshot().keys()].filter((key) => key.includes(':looks:'))).toHaveLength(1);
    await Promise.all([first.stop(), second.stop()]);
  });

  it('go on where the owner before has left them, and their evidence never falls', async () => {
    const service = new ShopService();
    const plain = new PlainLooks(service);
    let running = await service.start();
    await service.live(240, WORSE);
    const before = service.looks();
    // Like a process that was killed: it does nothing more, and nobody has asked it to end.
    const killed = running;
    running = await service.start();
    await killed.stop();
    await service.live(600, BETTER);
    await service.clock.advance(2000);
    const after = service.looks();
    expect(withoutPoints(after)).toEqual(withoutPoints(plain.fields));
    // The last look of the one that was killed was never stored.
    const [stored, taken] = [pointsIn(after), pointsIn(plain.fields)];
    expect(taken.filter((point) => stored.includes(point))).toEqual(stored);
    expect(taken.length - stored.length).toBe(1);
    const worse = `${EXPERIMENT.horizon.text}|B|ndcg@10|worse`;
    const better = `${EXPERIMENT.horizon.text}|B|ndcg@10|better`;
    expect(before.has(worse) && !before.has(better) && after.has(better)).toBe(true);
    const [largest]: readonly number[] = JSON.parse(before.get(worse) ?? '');
    expect(JSON.parse(after.get(worse) ?? '')[0]).toBeGreaterThanOrEqual(largest);
    const all = evidence(service.store.commits);
    expect([...all].filter(([, found]) => found.some((logE, i) => i > 0 && logE < found[i - 1]))).toEqual([]);
    expect(all.size).toBeGreaterThan(5);
    await running.stop();
  });

  it('forget in the store, too, what unsound ones withdraw, and the next owner goes on without it', async () => {
    const service = new ShopService();
    const plain = new PlainLooks(service);
    const evidence = (fields: ReadonlyMap<string, string>): readonly string[] =>
      [...fields.keys()].filter((field) => /\|(?:worse|better|guard)$/.test(field));
    const decision = (): string | undefined => service.looks().get(`${EXPERIMENT.horizon.text}|B|decision`);
    let running = await service.start();
    await service.live(300, WORSE);
    expect(evidence(service.looks()).length).toBeGreaterThan(3);
    expect(decision()).toContain('regressed');

    await service.live(240, WORSE, false);
    await service.clock.advance(2000);
    expect(service.looks()).toEqual(plain.fields);
    expect(evidence(service.looks())).toEqual([]);
    expect(decision()).toContain('no_user_ids');
    const killed = running;
    running = await service.start();
    await killed.stop();
    expect(evidence(service.looks())).toEqual([]);

    await service.live(720, WORSE);
    await service.clock.advance(2000);
    expect(withoutPoints(service.looks())).toEqual(withoutPoints(plain.fields));
    expect(decision()).toContain('regressed');
    // What is known again was all found after it was forgotten.
    for (const field of evidence(service.looks())) {
      const [, at]: readonly number[] = JSON.parse(service.looks().get(field) ?? '');
      expect(at).toBeGreaterThan(BEGIN + 540_000);
    }
    await running.stop();
  });

  it('are not taken again while no pane has become complete', async () => {
    const service = new ShopService();
    const plain = new PlainLooks(service);
    const running = await service.start();
    await service.live(130, WORSE);
    await service.clock.advance(LOOK_EVERY);
    expect(plain.times.length).toBeGreaterThan(0);
    const { length } = service.store.commits;
    const wanted = running.labels.filter((label) => label === 'look wanted').length;
    await service.clock.advance(5 * LOOK_EVERY);
    expect(running.labels.filter((label) => label === 'look wanted')).toHaveLength(wanted + 5);
    expect(service.store.commits).toHaveLength(length);
    await running.stop();
  });

  it.each([
    ['before it has read all that was read before', 'replaying'],
    ['once it is stopped', 'stopped'],
    ['without experiments', 'none'],
  ])('are none of a unit %s', async (_, why) => {
    const service = new ShopService(why === 'none' ? [] : undefined);
    const before = await service.start();
    await service.live(130, WORSE);
    await before.stop();
    const { commits } = service.store;
    const taken = withLooks(commits).length;
    const running = await service.start(why === 'replaying' ? [] : [0, 1]);
    if (why === 'stopped') running.worker.stopUnit(0, 'codec');
    await service.clock.advance(3 * LOOK_EVERY);
    expect(running.labels).not.toContain('look wanted');
    expect(withLooks(commits)).toHaveLength(taken);
    await running.stop();
  });

  it.each([
    ['the store does not answer', {}, 'the store is away'],
    [
      'another build wrote a unit',
      { format: String(FORMAT_VERSION + 1) },
      `unit 1: the stored state has format version ${FORMAT_VERSION + 1}`,
    ],
    ['what is stored of a unit is damaged', { counts: '[' }, 'unit 1: '],
  ])('are left out, with a warning, while %s', async (_, damage, message) => {
    const service = new ShopService();
    const running = await service.start([0]);
    const other = await service.start([1]);
    await service.live(190, WORSE);
    await other.stop();
    const { store } = service;
    const [before] = await store.inner.read([UNITS[1]]);
    if (Object.keys(damage).length === 0) {
      store.onRead = () => {
        throw new StoreUnavailable('TIMEOUT', 'the store is away', { retriable: true, outcome: 'unknown' });
      };
    } else {
      store.tamper(UNITS[1], { ...damage, seq: '9999' });
    }
    const looks = service.looks();
    const { length } = store.commits;
    await service.live(60, WORSE);
    expect(service.warnings).toHaveLength(1);
    expect(service.warnings[0]).toContain('the experiments were not looked at');
    expect(service.warnings[0]).toContain(message);
    expect(service.looks()).toEqual(looks);
    expect(store.commits.length).toBeGreaterThan(length + 50);

    store.onRead = undefined;
    store.tamper(UNITS[1], Object.fromEntries(before));
    const again = await service.start([1]);
    await service.live(70, WORSE);
    expect(service.warnings).toHaveLength(1);
    expect(service.looks()).not.toEqual(looks);
    await Promise.all([running.stop(), again.stop()]);
  });

  it('decide nothing while nothing is stored of a unit', async () => {
    const service = new ShopService();
    const running = await service.start([0]);
    await service.live(240, WORSE);
    await service.clock.advance(2000);
    const decision = (): unknown => JSON.parse(service.looks().get('1m|B|decision') ?? '[]').slice(0, 2);
    expect(decision()).toEqual(['invalid', 'incomplete']);
    expect([...service.looks().keys()].filter((field) => /\|(?:worse|better|guard)$/.test(field))).toEqual([]);
    const second = await service.start([1]);
    await service.live(240, WORSE);
    await service.clock.advance(2000);
    expect(decision()).toEqual(['regressed', expect.any(String)]);
    await running.stop();
    await second.stop();
  });
});
