import type { FindingCode } from '../findings/finding.ts';
import type { TopicJoin } from '../metrics/pipeline.ts';
import type { WorkerLog } from '../worker/worker-contract.ts';

/** Below the first share it is told, at the second it is told to be over. */
const FEW = 0.5;
const ENOUGH = 0.6;

interface Watched {
  readonly code: FindingCode;
  readonly shareOf: (join: TopicJoin) => number | undefined;
  readonly cause: string;
  readonly remedy: string;
}

const WATCHED: readonly Watched[] = [
  {
    code: 'few_joined',
    shareOf: ({ joined }) => joined,
    cause: 'less than half of the feedback finds its list',
    remedy: 'see drops by reason, and ask receval doctor how the request ids of the two sides differ',
  },
  {
    code: 'items_never_match',
    shareOf: ({ inList }) => inList,
    cause: 'less than half of the feedback of known requests names an item of the list',
    remedy: 'log one and the same id of an item on both sides, and all items that were shown',
  },
];

/** Logs when the feedback of a topic begins not to join, and when that is over. */
export class JoinFindings {
  readonly #told = new Set<string>();

  tell(topics: readonly TopicJoin[], log: Pick<WorkerLog, 'info' | 'warn'>): void {
    for (const join of topics) {
      for (const { code, shareOf, cause, remedy } of WATCHED) {
        const share = shareOf(join);
        if (share === undefined) continue;
        const { topic } = join;
        const key = `${code} ${topic}`;
        const rounded = Number(share.toFixed(3));
        if (share < FEW && !this.#told.has(key)) {
          this.#told.add(key);
          log.warn({ finding: code, topic, share: rounded }, `${topic}: ${cause}; ${remedy}`);
        } else if (share >= ENOUGH && this.#told.delete(key)) {
          log.info({ finding: code, topic, share: rounded }, `${topic}: the feedback joins again`);
        }
      }
    }
  }
}
