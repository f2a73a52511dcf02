import { createServer } from 'node:http';
import { LABELS, type Label } from '../../src/statistics/decision.ts';

export interface MetricsServer {
  readonly port: number;
  /** What the next scrapes see. */
  show(text: string): void;
  stop(): Promise<void>;
}

/** Serves metrics that a test made by hand, at /metrics of a free port. */
export function startMetricsServer(text: string): Promise<MetricsServer> {
  let shown = text;
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'text/plain; version=0.0.4; charset=utf-8');
    response.end(shown);
  });
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      resolve({
        port: typeof address === 'object' && address !== null ? address.port : 0,
        show(next) {
          shown = next;
        },
        stop: () =>
          new Promise((done) => {
            server.close(() => done());
            server.closeAllConnections();
          }),
      });
    });
  });
}

/** A healthy worker and exporter that say this of variants. */
export function pictureOf(labels: Readonly<Record<string, Label>>): string {
  const span = 'window="5m",horizon="1m"';
  const now = Date.now() / 1000;
  const lines = Object.entries(labels).flatMap(([variant, label]) =>
    LABELS.map(
      (one) =>
        `receval_quality_decision{measure="ndcg@10",horizon="1m",by="variant",variant="${variant}",decision="${one}"} ${Number(one === label)}`,
    ),
  );
  return `${[
    ...lines,
    `receval_window_complete{${span}} 1`,
    'receval_replay_in_progress 0',
    `receval_last_commit_timestamp_seconds ${now}`,
    `receval_result_timestamp_seconds{horizon="30m"} ${now - 1900}`,
    'receval_open_impressions{partition="0"} 10',
    'receval_consumer_lag_messages{topic="impressions",partition="0"} 3',
  ].join('\n')}\n`;
}
