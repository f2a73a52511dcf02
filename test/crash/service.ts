/**
 * The worker of `receval run`, which ends itself by SIGKILL where a test asks for it. For tests alone: the product cannot.
 *
 *   node --import tsx test/crash/service.ts <configuration> [<label> <n>]     at the nth time that it passes the label
 */
import { randomInt, randomUUID } from 'node:crypto';
import { readFileSync, writeSync } from 'node:fs';
import { processLog } from '../../src/cli/log.ts';
import { untilStopped } from '../../src/cli/process.ts';
import { loadSettings } from '../../src/config/load.ts';
import { Service } from '../../src/service/service.ts';
import { NO_PERMISSIONS } from '../../src/unit/resume.ts';
import { FAULT_LABELS } from '../../src/vocabulary/fault-point.ts';

const [file, label, n] = process.argv.slice(2);
if (label !== undefined && !FAULT_LABELS.some((known) => known === label)) throw new Error(`no label "${label}"`);
let left = Number(n ?? 1);

const service = await Service.start({
  settings: loadSettings({ file, readFile: (path) => readFileSync(path, 'utf8'), env: {} }),
  role: 'worker',
  permissions: { ...NO_PERMISSIONS, rebuild: false },
  version: 'test',
  newId: randomUUID,
  hashSeed: randomInt(2 ** 48 - 1),
  log: processLog('warn'),
  faultPoint: (passed) => {
    if (passed !== label || --left > 0) return;
    writeSync(2, `killed at: ${label}\n`);
    process.kill(process.pid, 'SIGKILL');
  },
});
const running = service.run();
await Promise.race([untilStopped(undefined), running]);
await service.stop();
await running;
