import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Files that take longest, the longest first. Those that wait for servers and those that compute stand in turns, so that
 * neither wait for a core together nor leave one idle.
 */
export const SLOWEST: readonly string[] = [
  'test/faults/redis.test.ts',
  'test/crash/crash.test.ts',
  'test/service/run.test.ts',
  'test/mutations/join.test.ts',
  'test/faults/brokers.test.ts',
  'test/mutations/simulation.test.ts',
  'test/proof/proof.test.ts',
  'test/mutations/feed.test.ts',
  'test/mutations/join-calls.test.ts',
  'test/consumers/source/kafka/flow/outage.test.ts',
  'test/consumers/join/properties.test.ts',
  'test/docs-commands.test.ts',
  'test/simulation/simulation.test.ts',
  'test/service/recreated.test.ts',
  'test/experiment/crowds.test.ts',
  'test/rules/rules.test.ts',
  'test/unit/unit.test.ts',
  'test/live/live-browser.test.ts',
  'test/consumers/join/feed.test.ts',
  'test/consumers/join/calls.test.ts',
  'test/service/dead-letters.test.ts',
  'test/accumulators/panes.test.ts',
  'test/deploy/package.test.ts',
  'test/rules/demo.e2e.test.ts',
  'test/service/memory.test.ts',
  'test/deploy/kubernetes.test.ts',
  'test/service/secrets.test.ts',
  'test/consumers/source/kafka/access/secure.test.ts',
  'test/cli/compare.test.ts',
  'test/consumers/source/kafka/flow/reading.test.ts',
  'test/page/report-browser.test.ts',
  'test/crash/service.test.ts',
  'test/deploy/image.test.ts',
  'test/consumers/source/kafka/flow/group.test.ts',
  'test/service/downgrade.test.ts',
  'test/deploy/stack.test.ts',
];

/**
 * First the files that have a process of their own, then those that share one: a process is kept only as long as the next file shares
 * it too. Of both, what takes longest is started first: begun last, one such file alone would hold up the end.
 */
export class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const others = await super.sort(files);
    const root = this.ctx.config.root;
    const place = ({ moduleId }: TestSpecification): number => {
      const at = SLOWEST.indexOf(relative(root, moduleId));
      return at < 0 ? SLOWEST.length : at;
    };
    const shares = ({ project }: TestSpecification): number => Number(!project.config.isolate);
    return others.toSorted((a, b) => shares(a) - shares(b) || place(a) - place(b));
  }
}
