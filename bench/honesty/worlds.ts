/**
 * Worlds that an audit of the decisions has tried: users who learn, ids that are lost, ramps, splits that heal. They share
 * nothing with the crowds and streams beside them.
 */
import type { Random } from '../../src/simulate/random.ts';
import { logistic, type People, type Person, type World } from './world.ts';

type Count = () => number;

/** Draws of one experiment. */
function drawing(random: Random) {
  const below = (n: number): number => Math.floor(random.next() * n);
  const geometric = (mean: number, most: number): Count => {
    const scale = 1 / Math.log(mean / (mean - 1));
    return () => Math.min(most, 1 + Math.floor(random.exponential(scale)));
  };
  const pareto = (exponent: number, most: number): Count => {
    return () => Math.min(most, Math.floor((1 - random.next()) ** (-1 / exponent)));
  };
  const times = (count: number, hour: () => number) => Array.from({ length: count }, () => ({ hour: hour(), mood: 0 }));
  /** At any time. */
  const anyTime = (hours: number, count: Count): Pick<People, 'visits'> => ({
    visits: () => times(count(), () => random.next() * hours).sort((a, b) => a.hour - b.hour),
  });
  /** One after the other, from the first hour on. */
  const inTurn = (
    count: Count,
    gap: Count,
    first = (person: Person): number => person.first,
  ): Pick<People, 'visits'> => ({
    visits: (person) => {
      let next = first(person);
      return times(count(), () => {
        const hour = next;
        next += gap();
        return hour;
      });
    },
  });
  return { random, below, geometric, pareto, anyTime, inTurn };
}

type Draws = ReturnType<typeof drawing>;

function world(
  size: Omit<World, 'people'>,
  taste: readonly [mean: number, deviation: number],
  people: (draws: Draws) => Omit<People, 'taste'> & Partial<People>,
): World {
  return { ...size, people: (random) => ({ taste: () => taste, ...people(drawing(random)) }) };
}

const DAY = 24;
const SIX_DAYS = { users: 6000, hours: 6 * DAY, looks: 48 };
const LOYAL = { users: 2500, hours: 3 * DAY, looks: 36 };

/** Users with fifteen lists each in the mean, some of which do not name them. */
function unnamed(isNamed: (draws: Draws) => NonNullable<People['isNamed']>): World {
  return world(LOYAL, [-1.5, 1.3], (draws) => ({
    ...draws.anyTime(LOYAL.hours, draws.geometric(15, 200)),
    isNamed: isNamed(draws),
  }));
}

/** Whole users of both variants without an id. */
function anonymous(share: number): World {
  return unnamed(
    () =>
      ({ kind }) =>
        kind >= share,
  );
}

/** The treatment begins with 1 %, goes on with 10 and 50 %, and clicks become fewer all the time. */
function ramp(people: (toward: (hour: number) => number) => Partial<People>): World {
  const toward = (hour: number): number => (hour < 48 ? 0.01 : hour < 96 ? 0.1 : 0.5);
  return world(SIX_DAYS, [-1.7, 0.8], ({ anyTime, pareto }) => ({
    ...anyTime(SIX_DAYS.hours, pareto(1.5, 200)),
    chance: ({ taste }, { hour }) => logistic(taste - 0.004 * hour),
    ...people(toward),
  }));
}

/** Half of the treatment's feedback is lost for three hours, which is known; then all is sound. */
export const HOLE: World = world(
  { users: 12_000, hours: 4 * DAY, looks: 48 },
  [-1.2, 0.8],
  ({ random, geometric, inTurn }) => ({
    ...inTurn(geometric(4, 300), () => random.exponential(2)),
    isLost: ({ variant }, hour) => variant === 1 && hour < 3 && random.next() < 0.5,
  }),
);

/** The split is .8/.2 for two hours, in which the control has better users; then all is sound, and the split seems to heal. */
export const HEALED: World = world(
  { users: 40_000, hours: 2 * DAY, looks: 48 },
  [0, 0],
  ({ random, geometric, inTurn }) => {
    const isEarly = ({ kind }: Pick<Person, 'kind'>): boolean => kind < 0.0075;
    const first = (person: Person): number => (isEarly(person) ? person.first / 24 : 2 + (person.first * 46) / 48);
    return {
      assigned: (newcomer) => (random.next() < (isEarly(newcomer) ? 0.8 : 0.5) ? 0 : 1),
      taste: (newcomer, variant) => [isEarly(newcomer) && variant === 0 ? -0.3 : -1.3, 0.8],
      ...inTurn(geometric(3, 300), () => random.exponential(0.5), first),
    };
  },
);

/** Two variants that are the same, of which at most 5 % may be decided. */
export const SOUND: ReadonlyMap<string, World> = new Map([
  [
    'users who learn: each click makes the next more likely',
    world({ users: 3000, hours: 120, looks: 40 }, [-1.6, 0.8], ({ random, geometric, inTurn }) => ({
      ...inTurn(geometric(9, 300), () => (random.next() < 0.6 ? 0.05 : random.exponential(8))),
      learns: (person, value) => {
        person.taste += value > 0 ? 0.25 : -0.06;
      },
    })),
  ],
  [
    'new users come at weekends only, and click less',
    world({ users: 4000, hours: 14 * DAY, looks: 56 }, [0, 0], ({ random, pareto, inTurn }) => ({
      taste: ({ kind }) => [kind < 0.4 ? -1 : -2.5, 0.9],
      ...inTurn(
        pareto(1.4, 300),
        () => (random.next() < 0.5 ? 0.1 : random.exponential(30)),
        ({ kind }) => (kind < 0.4 ? 0 : kind < 0.7 ? 5 * DAY : 12 * DAY) + random.next() * 2 * DAY,
      ),
      chance: ({ taste }, { hour }) => logistic(taste + (hour % (7 * DAY) >= 5 * DAY ? 0.5 : 0)),
    })),
  ],
  [
    'pushes: half of the lists in three hours, clicked three times as often',
    world({ users: 4000, hours: 3 * DAY, looks: 72 }, [-2, 0.9], ({ random, below, pareto, anyTime }) => {
      const pushes = [10, 34, 58].map((hour) => hour + below(8));
      const usual = anyTime(3 * DAY, pareto(1.5, 100));
      return {
        visits: (person) => [
          ...usual.visits(person),
          ...pushes.flatMap((push) => {
            if (person.kind < 0.5 || random.next() > 0.7) return [];
            const mood = 1.2 + 0.8 * random.normal();
            return Array.from({ length: 1 + below(5) }, () => ({ hour: push + random.next(), mood }));
          }),
        ],
      };
    }),
  ],
  [
    'time zones, sessions over midnight',
    world({ users: 3000, hours: 4 * DAY, looks: 48 }, [-1.8, 1], ({ random, below, pareto }) => {
      const sessions = pareto(1.2, 60);
      return {
        visits: ({ kind }) =>
          Array.from({ length: sessions() }, () => {
            const evening = 21 + 3 * random.normal() + [0, 5, 9, 17][Math.floor(4 * kind)];
            const begin = below(4) * DAY + (((evening % DAY) + DAY) % DAY);
            const mood = 0.6 * random.normal();
            return Array.from({ length: 1 + below(8) }, (_, i) => ({ hour: begin + i * random.next() * 0.5, mood }));
          }).flat(),
      };
    }),
  ],
  [
    'both variants ramp from .5 to 50 %',
    world({ ...SIX_DAYS, users: 20_000 }, [0, 0], ({ anyTime, pareto }) => {
      const from = (kind: number): number => (kind < 0.01 ? 0 : kind < 0.1 ? 48 : 96);
      const { visits } = anyTime(SIX_DAYS.hours, pareto(1.5, 200));
      return {
        taste: ({ kind }) => [from(kind) === 0 ? -1.7 : -2, 0.8],
        visits: (person) => visits(person).filter(({ hour }) => hour >= from(person.kind)),
        chance: ({ taste }, { hour }) => logistic(taste + 0.3 * Math.sin(hour / 10)),
      };
    }),
  ],
  [
    'one to four devices a person, families on one id',
    world({ users: 4000, hours: 3 * DAY, looks: 36 }, [0, 0], ({ random, below, pareto, anyTime }) => {
      let family: readonly number[] = [];
      let devices = 0;
      return {
        taste: () => {
          if (devices-- === 0) {
            devices = below(4);
            family = Array.from({ length: 1 + below(5) }, () => -1.7 + 1.1 * random.normal());
          }
          return [0, 0];
        },
        ...anyTime(3 * DAY, pareto(1.5, 200)),
        chance: () => logistic(family[below(family.length)]),
      };
    }),
  ],
  [
    'a staff of 900, four weeks',
    world({ users: 900, hours: 28 * DAY, looks: 84 }, [-1.5, 0.3], ({ random, below }) => ({
      visits: () =>
        Array.from({ length: 28 }, (_, day) => (day === 0 || random.next() < 0.7 ? 1 + below(4) : 0)).flatMap(
          (lists, day) => Array.from({ length: lists }, () => ({ hour: day * DAY + 8 + 9 * random.next(), mood: 0 })),
        ),
    })),
  ],
  [
    '320 huge users',
    world({ users: 320, hours: 48, looks: 48 }, [-1.5, 1.2], ({ random, anyTime }) =>
      anyTime(48, () => Math.min(900, Math.round(Math.exp(4.6 + 0.7 * random.normal())))),
    ),
  ],
  [
    'revenue, 2 % whales',
    world(
      { users: 8000, hours: 4 * DAY, looks: 32, measure: 'dcg(discount=none)' },
      [0, 0],
      ({ random, geometric }) => {
        const lists = geometric(4, 400);
        const isWhale = ({ kind }: Pick<Person, 'kind'>): boolean => kind < 0.02;
        return {
          // The logarithm of what an order is worth.
          taste: (person) => [isWhale(person) ? 4.6 : 3, 1],
          visits: (person) =>
            Array.from({ length: Math.min(400, lists() * (isWhale(person) ? 8 : 1)) }, () => ({
              hour: random.next() * 4 * DAY,
              mood: 0,
            })),
          chance: (person) => (isWhale(person) ? 0.25 : 0.03),
          value: ({ taste }, chance) =>
            random.next() < chance ? Math.min(99_999, Math.exp(taste + 1.1 * random.normal())) : 0,
        };
      },
    ),
  ],
  [
    'purchases on 2 of 10,000 lists',
    world({ users: 60_000, hours: 60, looks: 15, measure: 'hit@10' }, [0, 0], ({ random, geometric, anyTime }) => ({
      ...anyTime(60, geometric(5, 300)),
      chance: ({ kind }) => (kind < 0.02 ? 0.01 : 0),
      value: (_, chance) => (random.next() < chance ? 1 : 0),
    })),
  ],
  [
    '98 % of the lists clicked, 1 % of the users never',
    world({ users: 4000, hours: 60, looks: 40, measure: 'hit@10' }, [0, 0], ({ random, pareto, anyTime }) => ({
      ...anyTime(60, pareto(1.5, 150)),
      chance: ({ kind }) => (kind < 0.012 ? 0.3 : 0.992),
      value: (_, chance) => (random.next() < chance ? 1 : 0),
    })),
  ],
  [
    '13 variants of 150 users',
    world(
      { users: 1950, hours: 3 * DAY, looks: 36, weights: Array.from({ length: 13 }, () => 1 / 13) },
      [-1.5, 1],
      ({ geometric, anyTime }) => anyTime(3 * DAY, geometric(8, 150)),
    ),
  ],
  [
    'another experiment beside it, which interacts by 25 %',
    world({ users: 4000, hours: 3 * DAY, looks: 36 }, [-1.7, 0.9], ({ pareto, anyTime }) => ({
      ...anyTime(3 * DAY, pareto(1.5, 200)),
      chance: ({ kind, variant, taste }) => logistic(taste) * ((kind < 0.5 ? 1 : 0) === variant ? 1.25 : 0.75),
    })),
  ],
  ['4 % of the users without id', anonymous(0.04)],
  ['a quarter of the users without id', anonymous(0.25)],
  ['half of the users without id', anonymous(0.5)],
  ['half of the feedback of the treatment lost for three hours, which is known; then 93 sound hours', HOLE],
  ['a split of .8/.2 for two hours, in which the control has better users; then 46 sound hours', HEALED],
]);

/** Two variants that are the same, of which nothing may be decided, since users are not known (`no_user_ids`) or not split as configured (`srm`). */
export const UNSOUND: ReadonlyMap<string, World> = new Map([
  ['no user ids', anonymous(1)],
  [
    "a third of the treatment's lists without id",
    unnamed((draws) => (person) => person.variant === 0 || draws.random.next() > 0.33),
  ],
  [
    'the treatment logs ids after the login alone',
    unnamed(() => (person, isLast) => person.variant === 0 || person.kind > 0.5 || isLast),
  ],
  [
    'a ramp that moves users to the treatment',
    ramp((toward) => ({ shown: ({ kind }, hour) => (kind < toward(hour) ? 1 : 0) })),
  ],
  ['a ramp of new users', ramp((toward) => ({ assigned: ({ first, kind }) => (kind < toward(first) ? 1 : 0) }))],
]);

/** Two variants that are the same, and that look as if they were not: the decision cannot see why. */
export const UNSEEN: ReadonlyMap<string, World> = new Map([
  [
    '60/40 in one country, 40/60 in the other',
    world({ users: 6000, hours: 3 * DAY, looks: 36 }, [0, 0], ({ random, pareto, anyTime }) => ({
      assigned: ({ kind }) => (random.next() < (kind < 0.5 ? 0.6 : 0.4) ? 1 : 0),
      taste: ({ kind }) => [kind < 0.5 ? -1.2 : -2, 0.8],
      ...anyTime(3 * DAY, pareto(1.5, 200)),
    })),
  ],
  [
    '55/45 by day, 45/55 at night',
    world({ users: 8000, hours: 3 * DAY, looks: 72 }, [0, 0], ({ random, pareto, inTurn }) => {
      const isDay = ({ first }: Pick<Person, 'first'>): boolean => first % DAY < 12;
      return {
        assigned: (newcomer) => (random.next() < (isDay(newcomer) ? 0.55 : 0.45) ? 1 : 0),
        taste: (newcomer) => [isDay(newcomer) ? -1.3 : -2.1, 0.9],
        ...inTurn(pareto(1.5, 200), () => random.exponential(0.3)),
      };
    }),
  ],
  [
    'variants with other items, ten of them, each with luck of its own',
    world({ users: 4000, hours: 4 * DAY, looks: 48 }, [-1.7, 0.9], ({ random, below, pareto, anyTime }) => {
      const luck = Array.from({ length: 2 * 4 * 10 }, () => 0.5 * random.normal());
      return {
        ...anyTime(4 * DAY, pareto(1.5, 200)),
        chance: ({ taste, variant }, { hour }) =>
          logistic(taste + luck[(variant * 4 + Math.floor(hour / DAY)) * 10 + below(10)]),
      };
    }),
  ],
]);
