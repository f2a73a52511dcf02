import { createRequire } from 'node:module';
import { beforeEach, describe, expect, it, vi } from 'vitest';

const require = createRequire(import.meta.url);
const WRAPPER = '../../../../../src/consumers/source/kafka/access/client.ts';

describe('loading kafkajs', () => {
  beforeEach(() => {
    vi.resetModules();
    for (const path of Object.keys(require.cache)) {
      if (path.includes('/node_modules/kafkajs/')) delete require.cache[path];
    }
  });

  it('gives it with two of its modules replaced', async () => {
    const { kafkajs } = await import(WRAPPER);
    expect(kafkajs.Kafka).toBeTypeOf('function');
    const { withoutAborted } = await import('../../../../../src/consumers/source/kafka/flow/batches.ts');
    expect(require('kafkajs/src/consumer/filterAbortedMessages.js')).toBe(withoutAborted);
  });

  it('fails with advice when it is another version', async () => {
    const manifest: { version: string } = require('kafkajs/package.json');
    manifest.version = '2.2.5';
    await expect(import(WRAPPER)).rejects.toThrow(/kafkajs 2\.2\.5 is installed, but 2\.2\.4 is needed.*npm ci/);
  });

  it('fails with advice when somebody else has loaded it', async () => {
    require('kafkajs');
    await expect(import(WRAPPER)).rejects.toThrow(/was loaded before access\/client\.ts.*import it from there/);
  });
});
