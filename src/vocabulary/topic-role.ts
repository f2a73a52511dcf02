/** What a topic of the unit carries. The impressions topic may carry feedback too. */
export interface TopicRole {
  readonly impressions: boolean;
  readonly feedback: boolean;
}
