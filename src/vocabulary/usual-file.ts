/** The configuration, in the current folder: read if no file is named and it exists. */
export const USUAL_FILE = 'receval.yaml';
