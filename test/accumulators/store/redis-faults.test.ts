import { describe, expect, it } from 'vitest';
import { faultCode, troubleOf, unavailable } from '../../../src/accumulators/store/redis-faults.ts';

const fault = (message: string, trouble = '') => unavailable('commit to u', new Error(message), ['canary'], trouble);

describe('a fault of Redis', () => {
  it.each([
    ['READONLY You can not run script with write flag on readonly replica.', 'READONLY', 'refused', 'primary'],
    ['LOADING Redis is loading the dataset in memory', 'LOADING', 'refused', 'tried again'],
    ['BUSY Redis is busy running a script.', 'BUSY', 'refused', 'SCRIPT KILL'],
    ['MISCONF Redis is configured to save RDB snapshots', 'MISCONF', 'refused', 'disk'],
    ["OOM command not allowed when used memory > 'maxmemory'.", 'OOM', 'refused', 'Raise maxmemory'],
    ['NOREPLICAS Not enough good replicas to write.', 'NOREPLICAS', 'refused', 'min-replicas-to-write'],
    ['NOPERM this user has no permissions', 'NOPERM', 'refused', 'UNLINK'],
    ['WRONGPASS invalid username-password pair', 'WRONGPASS', 'refused', 'redis.url'],
    [
      'All sentinels are unreachable. Retrying. Last error: WRONGPASS invalid',
      'WRONGPASS',
      'refused',
      'redis.sentinel',
    ],
    ['self-signed certificate in certificate chain', 'TLS', 'refused', 'redis.tls.ca'],
    ["Stream isn't writeable and enableOfflineQueue options is false", 'NOT_CONNECTED', 'refused', 'server runs'],
    ['connect ECONNREFUSED 127.0.0.1:1', 'NOT_CONNECTED', 'refused', 'server runs'],
    ['MOVED 3999 127.0.0.1:6381', 'MOVED', 'unknown', 'redis+cluster://'],
    ['Too many Cluster redirections. Last error: ReplyError: MOVED 3999 h:1', 'MOVED', 'unknown', 'redis+cluster://'],
    ['CLUSTERDOWN Hash slot not served', 'CLUSTERDOWN', 'unknown', 'CLUSTER INFO'],
    ['TRYAGAIN Multiple keys request during rehashing of slot', 'TRYAGAIN', 'unknown', 'again'],
    ['Command timed out', 'TIMEOUT', 'unknown', 'network'],
    ['connect ETIMEDOUT', 'TIMEOUT', 'unknown', 'network'],
    ['Reached the max retries per request limit (which is 0).', 'DISCONNECTED', 'unknown', 'made again'],
    ['Connection is closed.', 'DISCONNECTED', 'unknown', 'made again'],
    ['read ECONNRESET', 'DISCONNECTED', 'unknown', 'made again'],
  ])('%s has a code and says what to do', (message, code, outcome, advice) => {
    expect(fault(message)).toMatchObject({ code, outcome, retriable: true });
    expect(fault(message).message).toMatch(/^Redis could not commit to u: /);
    expect(fault(message).message).toContain(advice);
  });

  it.each([
    ["NOPERM User w has no permissions to run the 'evalsha' command", '+evalsha'],
    ["NOPERM this user has no permissions to run the 'client|setname' command", '+client|setname'],
    ["NOPERM HDEL on the unit's rows is not allowed", '+hdel'],
    ["NOPERM HLEN on the unit's rows is not allowed", '+hlen'],
    ['NOPERM No permissions to access a key', '~receval:*'],
    ['NOPERM this user has no permissions to access one of the keys used as arguments', '~receval:*'],
    ["ERR The user executing the script can't access at least one of the keys mentioned", '~receval:*'],
  ])('%s names the right that is missing', (message, right) => {
    const { code, outcome, message: told } = fault(message);
    expect({ code, outcome }).toEqual({ code: 'NOPERM', outcome: 'refused' });
    expect(told).toContain(`(allow it ${right}`);
  });

  it.each(['WRONGTYPE Operation against a key', 'BADSTATE x', 'BADCOMMIT x', 'CROSSSLOT Keys in request'])(
    '%s does not pass by waiting',
    (message) => {
      expect(fault(message).retriable).toBe(false);
    },
  );

  it('that nobody foresaw is quoted without arguments and secrets, and cut', () => {
    const { message, code, outcome } = fault(`ERR unknown command 'X' for canary, with args beginning with: 'private'`);
    expect(code).toBe('ERR');
    expect(outcome).toBe('unknown');
    expect(message).toContain("unknown command 'X' for ***");
    expect(message).not.toMatch(/private|canary/);
    expect(fault(`ERR ${'x'.repeat(10_000)}`).message.length).toBeLessThan(400);
  });

  it('says why the connection broke', () => {
    expect(fault('Connection is closed.', 'connect ECONNREFUSED h:1').message).toContain('(connect ECONNREFUSED h:1)');
  });

  it('of a cluster is what its last node said', () => {
    const node = new Error('WRONGPASS invalid username-password pair for canary');
    const all = Object.assign(new Error('Failed to refresh slots cache.'), { lastNodeError: node });
    expect(faultCode(all)).toBe('WRONGPASS');
    expect(troubleOf(all, ['canary'])).toMatch(/^WRONGPASS invalid .* \*\*\*: user or password are wrong/);
  });

  it('keeps nothing of the error that it wraps', () => {
    const error = Object.assign(new Error('NOAUTH x'), { command: { name: 'auth', args: ['canary'] } });
    const wrapped = unavailable('connect', error, [], '');
    expect(JSON.stringify({ ...wrapped, text: wrapped.stack, cause: wrapped.cause })).not.toContain('canary');
  });
});
