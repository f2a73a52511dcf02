import type { GroupOutcome } from './strike.ts';
export function remember(_outcome: GroupOutcome, _manner: { isShort: boolean; pace: number }): void {}
export function writeTable(): void {}
