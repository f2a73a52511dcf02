/**
 * What only records can show, from the topics to every place that reports it: the log of `receval run`, its state, and doctor. The service first
 * looks at records a minute after its start, so this test takes as long.
 */
import { expect } from 'vitest';
import { doctorCommand } from '../../src/cli/doctor.ts';
import { until } from '../consumers/source/kafka/collector.ts';
import { itWith } from '../services/it-with.ts';
import { type Produced, sharedServers, withStand } from './stand.ts';

const SERVERS = sharedServers();

interface Told {
  readonly code?: string;
  readonly cause: string;
  readonly remedy: string;
}

/** Lists and clicks on them whose request ids have something before them. */
function traffic(at: number): readonly Produced[] {
  return Array.from({ length: 30 }, (_, n): readonly Produced[] => {
    const requestId = `4f${n}c`;
    const list = { requestId, ts: at, items: ['a', 'b'] };
    const click = { requestId: `web-${requestId}`, ts: at + 100, itemId: 'a', action: 'click' };
    return [
      { topic: 'impressions', partition: n % 2, value: JSON.stringify(list) },
      { topic: 'feedback', partition: n % 2, value: JSON.stringify(click) },
    ];
  }).flat();
}

/** Of the lines that a service has printed, those of one finding. */
function linesOf(printed: string, finding: string): readonly { readonly level: number; readonly msg: string }[] {
  return printed
    .split('\n')
    .filter((line) => line.startsWith('{') && line.endsWith('}'))
    .map((line): { readonly level: number; readonly msg: string; readonly finding?: string } => JSON.parse(line))
    .filter((line) => line.finding === finding);
}

itWith(SERVERS, 'ids that differ are reported in the log of run once, in its state, and by doctor', async (servers) => {
  await withStand(servers, async (stand) => {
    await stand.makeTopics(2);
    await stand.produce(traffic(Date.now() - 5000));
    const service = stand.run();
    const CAUSE =
      'of the feedback of unknown requests would be known, but the feedback writes "web-" before the request id.';

    await service.printedOnce(/"finding":"ids_differ_by_prefix"/);
    const [, port] = /"port":(\d+)/.exec(service.printed) ?? [];
    const troubles = async (): Promise<readonly Told[]> => {
      const answer = await fetch(`http://127.0.0.1:${port}/api/v1/state`);
      const state: { readonly troubles: readonly Told[] } = JSON.parse(await answer.text());
      return state.troubles.filter(({ code }) => code === 'ids_differ_by_prefix');
    };
    await until('the state tells it', async () => (await troubles()).length > 0);
    const [told, ...more] = await troubles();
    expect(more).toEqual([]);
    expect(told.cause).toBe(`100 % ${CAUSE}`);
    expect(told.remedy).toContain('Log the same request id on both sides');

    const { stdout } = await stand.command(doctorCommand, '--output', 'json');
    const report: { readonly findings: readonly { readonly code?: string; readonly message: string }[] } =
      JSON.parse(stdout);
    expect(report.findings.filter(({ code }) => code === 'ids_differ_by_prefix')).toMatchObject([
      { check: 'join', level: 'warning', message: `ids_differ_by_prefix: ${told.cause} ${told.remedy}` },
    ]);

    expect(await service.stop()).toBe(0);
    const lines = linesOf(service.printed, 'ids_differ_by_prefix');
    expect(lines).toMatchObject([{ level: 40, msg: `${told.cause} ${told.remedy}` }]);
    // A service reports no id of an event.
    expect(service.printed).not.toMatch(/web-4f|"4f\d/);
  });
});
