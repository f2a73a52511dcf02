import { describe, expect } from 'vitest';
import { FAULT_LABELS, type FaultLabel } from '../../src/vocabulary/fault-point.ts';
import { sharedServers, withStand } from '../service/stand.ts';
import { itWith } from '../services/it-with.ts';
import { Counting, type Kill } from './processes.ts';

const SERVERS = sharedServers();
const EVENTS = 20_000;
/** CRASHES=all: every label that is passed here, which takes a quarter of an hour. */
const ALL = process.env['CRASHES'] === 'all';

/** Around commit and claim, each on the way back from the one before. */
const IN_TURN: readonly Kill[] = [
  { label: 'commit sent', nth: 1 },
  { label: 'claim sent', nth: 1 },
  { label: 'rows read', nth: 2 },
  { label: 'chunk fed', nth: 2 },
  { label: 'commit built', nth: 1 },
  { label: 'commit answered', nth: 2 },
];

/** Of records ahead of the clock, an outage of the store or another owner, which are not here; crash.test.ts has them. */
const ELSEWHERE: readonly FaultLabel[] = [
  'clock asked',
  'clock answered',
  'retry waits',
  'retry due',
  'commit unanswered',
  'given up',
  'owner wanted',
  'owner answered',
  'silence waits',
  'silence due',
  'claim again due',
];
/** Passed once the worker is asked to end. */
const AT_THE_END: readonly FaultLabel[] = ['stop wanted', 'source stopped', 'source ended', 'last commit done'];
const ONCE: readonly FaultLabel[] = ['assigned', 'all claimed', ...AT_THE_END];
const OFTEN: readonly FaultLabel[] = ['chunk given', 'chunk fed', 'end wanted', 'end answered'];

const EACH = FAULT_LABELS.filter((label) => !ELSEWHERE.includes(label)).flatMap((label): readonly Kill[] => {
  const times = ONCE.includes(label) ? [1] : OFTEN.includes(label) ? [1, 2, 10] : [1, 2];
  return times.map((nth) => ({ label, nth }));
});

describe('a worker on real Kafka and Redis', () => {
  itWith(
    SERVERS,
    'that ends itself by SIGKILL between a request and its answer, again and again, stores what an unbroken one stores',
    async (servers) => {
      await withStand(servers, async (stand) => {
        const counting = await Counting.of(stand, EVENTS);
        const shares: number[] = [];
        for (const kill of IN_TURN) {
          await counting.killed('killed', kill);
          shares.push(await counting.progress('killed'));
        }
        const stored = await counting.counted('killed');
        const expected = await counting.counted('unbroken');
        process.stderr.write(`stored after each kill: ${shares.map((share) => share.toFixed(2)).join(', ')}\n`);
        expect(expected.length).toBeGreaterThan(50);
        expect(stored).toEqual(expected);
        // Kills came in the middle of the log.
        expect(shares.filter((share) => share > 0 && share < 1)).not.toEqual([]);
      });
    },
    900_000,
  );

  if (!ALL) return;
  itWith(
    SERVERS,
    'that ends itself by SIGKILL at any label stores what an unbroken one stores',
    async (servers) => {
      await withStand(servers, async (stand) => {
        const counting = await Counting.of(stand, EVENTS);
        const expected = await counting.counted('unbroken');
        for (const [n, kill] of EACH.entries()) {
          const namespace = `killed-${n}`;
          await counting.killed(namespace, kill, AT_THE_END.includes(kill.label) ? 'once all is stored' : 'in traffic');
          const share = await counting.progress(namespace);
          process.stderr.write(`killed at: ${kill.label}, time ${kill.nth}; stored then: ${share.toFixed(2)}\n`);
          expect(await counting.counted(namespace), `after ${kill.label}, time ${kill.nth}`).toEqual(expected);
        }
      });
    },
    3_600_000,
  );
});
