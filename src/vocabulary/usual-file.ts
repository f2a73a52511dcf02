/** The configuration in the current folder. It is read if it exists and no file is named. */
export const USUAL_FILE = 'receval.yaml';
