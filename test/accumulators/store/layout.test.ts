import { describe, expect, it } from 'vitest';
import {
  clockKey,
  isLasting,
  looksKey,
  otherValues,
  paneKey,
  parseField,
  rowField,
  SINCE_START,
  setText,
  splitValues,
  totalKey,
  unitKey,
  usersKey,
  vectorKey,
} from '../../../src/accumulators/store/layout.ts';

const OWNER = { namespace: 'shop', unit: 7, generation: 'g2' };

describe('the layout', () => {
  it('keeps all keys of a unit under one hash tag', () => {
    expect(unitKey('shop', 7)).toBe('receval:{shop:7}:unit');
    expect(paneKey(OWNER, 'm', 60_000)).toBe('receval:{shop:7}:g2:pane:m:60000');
    expect(paneKey(OWNER, 'h', 3_600_000)).toBe('receval:{shop:7}:g2:pane:h:3600000');
    expect(clockKey(OWNER)).toBe('receval:{shop:7}:g2:clock');
    expect(totalKey(OWNER, 'all', SINCE_START)).toBe('receval:{shop:7}:g2:total:all:start');
  });

  it('names what is kept of a run, which lasts, unlike rows of panes and the checkpoint', () => {
    expect(usersKey(OWNER, 'default', 'r')).toBe('receval:{shop:7}:g2:users:default:r');
    expect(looksKey(OWNER, 'default', 'r')).toBe('receval:{shop:7}:g2:looks:default:r');
    for (const owner of [OWNER, { ...OWNER, namespace: 'a:total:b' }]) {
      const lasting = [totalKey, usersKey, looksKey].map((of) => of(owner, 'default', 'r'));
      expect(lasting.map(isLasting)).toEqual([true, true, true]);
      expect(isLasting(clockKey(owner))).toBe(true);
      const passing = [
        unitKey(owner.namespace, 7),
        paneKey(owner, 'm', 0),
        paneKey(owner, 'h', 0),
        vectorKey(owner, 0),
      ];
      expect(passing.map(isLasting)).toEqual([false, false, false, false]);
    }
  });

  it.each([
    [[], [], '30m||'],
    [['variant'], ['A b'], '30m|variant|A b'],
    [['variant', 'country'], ['A', 'DE'], '30m|variant,country|A,DE'],
  ])('names the row of %j = %j', (by, values, field) => {
    expect(rowField('30m', setText(by), values.join(','))).toBe(field);
    const name = parseField(field);
    expect(name).toEqual({ horizon: '30m', by: by.join(','), values: values.join(',') });
    expect(splitValues(by, name?.values ?? '')).toEqual(values);
  });

  it('names the rest of a set in each dimension', () => {
    expect(otherValues([])).toBe('');
    expect(otherValues(['variant', 'country'])).toBe('__other__,__other__');
  });

  it.each(['', '30m', '30m|variant', '30m|variant|A|B'])('takes "%s" for no row', (field) => {
    expect(parseField(field)).toBeUndefined();
  });
});
