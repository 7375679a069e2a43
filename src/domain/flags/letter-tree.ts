const NODES_AT_FIRST = 1 << 12;

/**
 * Words by their letters: a tree in columns of numbers, since the lexicon has some 65,000 places and an object for each
 * would take twenty times the memory. Nodes are numbers from 1, 0 is none; letters are UTF-16 units.
 */
export class LetterTree<Entry> {
  readonly #firsts = new Uint32Array(0x10000);
  #units = new Uint16Array(NODES_AT_FIRST);
  #children = new Uint32Array(NODES_AT_FIRST);
  #siblings = new Uint32Array(NODES_AT_FIRST);
  /** Of each node the place of its entries in `#lists`. */
  #lists = new Uint32Array(NODES_AT_FIRST);
  readonly #entries: Entry[][] = [[]];
  #nodes = 0;

  /** @param word  not empty */
  add(word: string, entry: Entry): void {
    const unit = word.charCodeAt(0);
    let node = this.first(unit);
    if (node === 0) {
      node = this.#newNode(unit);
      this.#firsts[unit] = node;
    }
    for (let at = 1; at < word.length; at += 1) node = this.#grown(node, word.charCodeAt(at));
    const list = this.#lists[node] ?? 0;
    if (list > 0) this.#entries[list]?.push(entry);
    else this.#lists[node] = this.#entries.push([entry]) - 1;
  }

  /** The node of words that begin with a letter. */
  first(unit: number): number {
    return this.#firsts[unit] ?? 0;
  }

  /** The node one letter further. */
  next(node: number, unit: number): number {
    let child = this.#children[node] ?? 0;
    while (child > 0 && this.#units[child] !== unit) child = this.#siblings[child] ?? 0;
    return child;
  }

  /** The entries of the word that ends at a node, in the order in which they were added. */
  entriesAt(node: number): readonly Entry[] {
    return this.#entries[this.#lists[node] ?? 0] ?? [];
  }

  #grown(node: number, unit: number): number {
    const known = this.next(node, unit);
    if (known > 0) return known;
    const child = this.#newNode(unit);
    this.#siblings[child] = this.#children[node] ?? 0;
    this.#children[node] = child;
    return child;
  }

  #newNode(unit: number): number {
    this.#nodes += 1;
    if (this.#nodes === this.#units.length) this.#double();
    this.#units[this.#nodes] = unit;
    return this.#nodes;
  }

  #double(): void {
    const length = 2 * this.#units.length;
    const units = new Uint16Array(length);
    units.set(this.#units);
    this.#units = units;
    const longer = (column: Uint32Array) => {
      const grown = new Uint32Array(length);
      grown.set(column);
      return grown;
    };
    this.#children = longer(this.#children);
    this.#siblings = longer(this.#siblings);
    this.#lists = longer(this.#lists);
  }
}
