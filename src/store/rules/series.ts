/**
 * Tells whether a series that a subscription was told of has a date that is not over. @param told  null before the first
 * match
 */
export const goesOn = (told: { endsAt: number } | null | undefined, now: number): boolean =>
  told != null && told.endsAt >= now;
