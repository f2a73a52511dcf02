import { describe, expect, it } from 'vitest';
import {
  accessAdvice,
  adviceFor,
  isMembershipLost,
  isTopicMissing,
  isUnreachable,
  KafkaLoginError,
  Restarts,
} from '../../../../../src/consumers/source/kafka/access/faults.ts';
import {
  checkTimes,
  KAFKA_TIMES,
  longestWait,
  timesFor,
} from '../../../../../src/consumers/source/kafka/access/kafka-settings.ts';
import { withinTime } from '../../../../../src/consumers/source/kafka/codecs/zstd.ts';

function fault(name: string, type?: string, cause?: Error): Error {
  return Object.assign(new Error(name, { cause }), { name }, type === undefined ? {} : { type });
}

const MINUTE = 60_000;

describe('errors of the client', () => {
  it('are known by their cause, however deep', () => {
    const deep = fault('KafkaJSNumberOfRetriesExceeded', undefined, fault('KafkaJSConnectionError'));
    expect(isUnreachable(deep)).toBe(true);
    expect(isUnreachable(fault('KafkaJSProtocolError', 'UNKNOWN'))).toBe(false);
    expect(isTopicMissing(fault('a', undefined, fault('KafkaJSProtocolError', 'UNKNOWN_TOPIC_OR_PARTITION')))).toBe(
      true,
    );
    expect(isTopicMissing('text')).toBe(false);
  });

  it('have an advice when a new consumer would meet them again, and none otherwise', () => {
    for (const error of [
      fault('KafkaJSProtocolError', 'INCONSISTENT_GROUP_PROTOCOL'),
      fault('KafkaJSProtocolError', 'GROUP_AUTHORIZATION_FAILED'),
      fault('KafkaJSSASLAuthenticationError'),
      fault('KafkaJSNonRetriableError', undefined, new RangeError('x')),
      new TypeError('x'),
    ]) {
      expect(adviceFor(error)).toMatch(/\w{5}/);
    }
    for (const error of [fault('KafkaJSConnectionError'), fault('KafkaJSProtocolError', 'REBALANCE_IN_PROGRESS'), 5]) {
      expect(adviceFor(error)).toBeUndefined();
    }
  });

  it('say when we are not let in, also below others, and what to do', () => {
    const expired = Object.assign(fault('KafkaJSConnectionError'), { code: 'CERT_HAS_EXPIRED' });
    for (const [error, advice] of [
      [fault('KafkaJSNumberOfRetriesExceeded', undefined, expired), /renew it at the server/],
      [fault('KafkaJSNonRetriableError', undefined, fault('KafkaJSSASLAuthenticationError')), /check the user/],
      [fault('KafkaJSProtocolError', 'TOPIC_AUTHORIZATION_FAILED'), /read and describe the topics/],
      [new KafkaLoginError('no token', 'look there'), /^look there$/],
    ] as const) {
      expect(accessAdvice(error)).toMatch(advice);
      expect(adviceFor(error)).toBe(accessAdvice(error));
    }
    for (const error of [fault('KafkaJSConnectionError'), new TypeError('x'), 5]) {
      expect(accessAdvice(error)).toBeUndefined();
    }
  });

  it('say when the group must be joined again', () => {
    for (const type of [
      'REBALANCE_IN_PROGRESS',
      'ILLEGAL_GENERATION',
      'UNKNOWN_MEMBER_ID',
      'NOT_COORDINATOR_FOR_GROUP',
    ]) {
      expect(isMembershipLost(fault('KafkaJSProtocolError', type))).toBe(true);
    }
    expect(isMembershipLost(fault('KafkaJSRequestTimeoutError'))).toBe(false);
  });

  it('end a chain that has no end', () => {
    const circle = fault('a');
    Object.assign(circle, { cause: circle });
    expect(adviceFor(circle)).toBeUndefined();
  });
});

describe('restarts', () => {
  it('wait longer after each crash, up to 30 s, and start anew after a calm minute', () => {
    const restarts = new Restarts();
    const delays = Array.from({ length: 9 }, (_, i) => restarts.crashed(i * 1000, 'unknown'));
    expect(delays).toEqual([500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000]);
    expect(restarts.crashed(8000 + MINUTE, 'unknown')).toBe(30_000);
    expect(restarts.crashed(8001 + 2 * MINUTE, 'unknown')).toBe(500);
  });

  it('come soon where brokers are away, so that their return is not missed for long', () => {
    const restarts = new Restarts();
    const delays = Array.from({ length: 6 }, (_, i) => restarts.crashed(i * 1000, 'unreached'));
    expect(delays).toEqual([500, 1000, 2000, 4000, 5000, 5000]);
    expect(restarts.crashed(6000, 'unknown')).toBe(30_000);
  });

  it('end with the third crash in five minutes in which all brokers answered', () => {
    for (const [third, isEnd] of [
      [5 * MINUTE - 1, true],
      [5 * MINUTE, false],
      [5 * MINUTE + 1, false],
    ] as const) {
      const restarts = new Restarts();
      expect(restarts.crashed(0, 'healthy')).toBeDefined();
      expect(restarts.crashed(1000, 'healthy')).toBeDefined();
      expect(restarts.crashed(third, 'healthy') === undefined).toBe(isEnd);
    }
  });

  it('never end while brokers do not answer, and forget what was before', () => {
    const restarts = new Restarts();
    for (let i = 0; i < 20; i++) expect(restarts.crashed(i, i % 3 === 2 ? 'unreached' : 'healthy')).toBeDefined();
  });
});

describe('the times of a consumer', () => {
  it('must leave room for several heartbeats in a session', () => {
    expect(() => checkTimes(KAFKA_TIMES)).not.toThrow();
    for (const name of ['maxWaitTimeInMs', 'heartbeatInterval'] as const) {
      expect(() => checkTimes({ ...KAFKA_TIMES, [name]: 5000 })).not.toThrow();
      expect(() => checkTimes({ ...KAFKA_TIMES, [name]: 5001 })).toThrow(`${name} is 5001 ms`);
    }
  });
});

describe('the times that follow from a session', () => {
  it('leave room for several heartbeats in any that can be set', () => {
    for (const session of [1000, 1001, 6000, 29_999, 30_000, 30_001, 1_800_000]) {
      const times = timesFor(session);
      expect(times.sessionTimeout).toBe(session);
      expect(() => checkTimes(times)).not.toThrow();
      // A fetch of many partitions waits longer, and must leave room as well.
      const many = longestWait(times.maxWaitTimeInMs, session);
      expect(() => checkTimes({ ...times, maxWaitTimeInMs: many })).not.toThrow();
      expect(many).toBeGreaterThan(times.maxWaitTimeInMs);
      expect(times.rebalanceTimeout).toBeGreaterThan(session);
    }
    expect(timesFor(30_000)).toEqual(KAFKA_TIMES);
  });
});

describe('a time limit', () => {
  it('stops what does not end by itself, and passes on what does', () => {
    expect(() =>
      withinTime(50, () => {
        for (;;);
      }),
    ).toThrow(/timed out/);
    let done = 0;
    withinTime(10_000, () => {
      done = 1;
    });
    expect(done).toBe(1);
    expect(() =>
      withinTime(10_000, () => {
        throw new RangeError('own');
      }),
    ).toThrow('own');
  });
});
