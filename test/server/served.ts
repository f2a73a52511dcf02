/** A process that serves a page of 200 kB, for tests that try to end it. Prints its port, and the memory it takes when it is asked. */
import { startServer } from '../../src/server/server.ts';

const TEXT = Array.from({ length: 4000 }, (_, n) => `receval_measure{measure="ndcg@10",n="${n}"} ${n}\n`).join('');

let version = 0;
let page = TEXT;
// As the service does, which renders its page again once a second while many request it.
setInterval(() => {
  page = `${version++}\n${TEXT}`;
}, 1000);

const server = await startServer(
  { host: '127.0.0.1', port: 0 },
  {
    metrics: async () => page,
    contentType: 'text/plain',
    ready: () => ({ ready: true, reasons: [], stopped: [] }),
    healthy: () => true,
  },
);
process.stdout.write(`${server.port}\n`);
