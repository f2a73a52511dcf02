/** Names of actions that a configuration can give a grade: up to 200 characters, none of them a control character. */
export const ACTION_NAME = /^[^\p{Cc}]{1,200}$/u;

/** Whether an action can be given a grade; one that cannot is worth 0. Configurations cannot name `__proto__`. */
export function isGradable(name: string): boolean {
  return ACTION_NAME.test(name) && name !== '__proto__';
}
