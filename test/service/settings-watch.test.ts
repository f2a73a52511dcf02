import { expect, it } from 'vitest';
import { SettingsWatch } from '../../src/service/start-watch.ts';

it('says once when the configuration changes, cannot be used, and is as before', () => {
  const told: string[] = [];
  let text: string | Error = 'first';
  const read = (): string => {
    if (text instanceof Error) throw text;
    return text;
  };
  const watch = new SettingsWatch(read, 'first', {
    info: (_, message) => told.push(`info ${message}`),
    warn: (details, message) => told.push(`warn ${JSON.stringify(details)} ${message}`),
  });
  const looks = (now: string | Error): string => {
    text = now;
    told.length = 0;
    watch.look();
    watch.look();
    return told.join('\n');
  };
  expect(looks('first')).toBe('');
  expect(looks('second')).toMatch(/^warn \{\} the configuration has changed: .* Restart it [^\n]*$/);
  expect(looks('third')).toMatch(/^warn \{\} the configuration has changed[^\n]*$/);
  expect(looks(new Error('line 3'))).toMatch(/^warn \{"error":"line 3"\} the configuration cannot be used [^\n]*$/);
  expect(looks(new Error('line 4'))).toMatch(/^warn \{"error":"line 4"\}[^\n]*$/);
  expect(looks('first')).toBe('info the configuration is again that of the start of this process');
});
