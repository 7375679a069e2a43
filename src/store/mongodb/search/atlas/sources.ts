/** What tells which of several posts with one source stands for the others. */
export interface Sourced {
  _id: string;
  source?: string | null | undefined;
  publisher_id: string;
  syndicated: boolean;
  created_at: Date;
}

/** Those of some posts for which a post of another publisher stands among `all`: the first-hand one, else the oldest. */
export function copiesAmong(posts: readonly Sourced[], all: readonly Sourced[]): Set<string> {
  const groups = groupsOf(all);
  const hidden = posts.filter((post) => {
    const [first] = (groups.get(post.source ?? "") ?? []).toSorted(compareStanding);
    return first !== undefined && first.publisher_id !== post.publisher_id;
  });
  return new Set(hidden.map(({ _id }) => _id));
}

/** Ids of the posts of other publishers with the source of a post, oldest first. */
export function copiesOf(post: Sourced | undefined, all: readonly Sourced[]): string[] {
  const group = post === undefined ? [] : (groupsOf(all).get(post.source ?? "") ?? []);
  const others = group.filter(({ publisher_id }) => publisher_id !== post?.publisher_id);
  return others.toSorted(compareAges).map(({ _id }) => _id);
}

function groupsOf(posts: readonly Sourced[]): Map<string, Sourced[]> {
  const groups = new Map<string, Sourced[]>();
  for (const post of posts) {
    if (post.source == null) continue;
    groups.set(post.source, [...(groups.get(post.source) ?? []), post]);
  }
  return groups;
}

const compareAges = (a: Sourced, b: Sourced) =>
  a.created_at.getTime() - b.created_at.getTime() || (a._id < b._id ? -1 : 1);
const compareStanding = (a: Sourced, b: Sourced) =>
  Number(a.syndicated) - Number(b.syndicated) || compareAges(a, b);
