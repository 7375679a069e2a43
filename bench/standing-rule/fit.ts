/** One example of a regression. */
export interface Example {
  x: readonly number[];
  match: boolean;
  /** Usually 1. */
  weight: number;
}

export interface Line {
  weights: number[];
  bias: number;
}

const STEPS = 80;

/**
 * Logistic regression by Newton's method with step halving, on standardised features, with a ridge and bounds on signs.
 *
 * @param signs  for each feature: 1 keeps its weight at zero or above, -1 at zero or below, 0 leaves it free
 * @param ridge  added to the second derivative of each standardised weight
 * @returns weights for the features as given
 */
export function fitLogistic(examples: readonly Example[], signs: readonly number[], ridge: number): Line {
  const size = signs.length + 1;
  const { means, spreads } = scaleOf(examples, signs.length);
  const rows = examples.map(({ x }) => [1, ...x.map((v, j) => (v - (means[j] ?? 0)) / (spreads[j] ?? 1))]);
  const lossOf = (w: readonly number[]) =>
    rows.reduce((sum, row, i) => {
      const s = dot(w, row);
      const { match, weight } = examples[i] as Example;
      return sum + weight * (Math.max(s, 0) + Math.log1p(Math.exp(-Math.abs(s))) - (match ? s : 0));
    }, 0) +
    (ridge / 2) * w.slice(1).reduce((sum, v) => sum + v * v, 0);
  const bounded = (value: number, j: number) => {
    const sign = j === 0 ? 0 : (signs[j - 1] ?? 0);
    return sign * value < 0 ? 0 : value;
  };

  let w = new Array<number>(size).fill(0);
  let loss = lossOf(w);
  for (let step = 0; step < STEPS; step += 1) {
    const { gradient, curvature } = derivatives(rows, examples, w, ridge);
    for (let j = 1; j < size; j += 1) {
      const sign = signs[j - 1] ?? 0;
      // A weight at its bound that would cross it rests in this step.
      if (sign !== 0 && w[j] === 0 && sign * (gradient[j] ?? 0) > 0) rest(gradient, curvature, j);
    }
    const direction = solved(curvature, gradient);
    const before = loss;
    for (let length = 1; length > 1e-6; length /= 2) {
      const tried = w.map((v, j) => bounded(v - length * (direction[j] ?? 0), j));
      const triedLoss = lossOf(tried);
      if (triedLoss >= loss) continue;
      w = tried;
      loss = triedLoss;
      break;
    }
    if (before - loss < 1e-7 * before) break;
  }
  const weights = w.slice(1).map((v, j) => v / (spreads[j] ?? 1));
  const bias = (w[0] ?? 0) - weights.reduce((sum, v, j) => sum + v * (means[j] ?? 0), 0);
  return { weights, bias };
}

export const dot = (a: readonly number[], b: readonly number[]) =>
  a.reduce((sum, v, i) => sum + v * (b[i] ?? 0), 0);

function scaleOf(examples: readonly Example[], size: number) {
  const total = examples.reduce((sum, { weight }) => sum + weight, 0);
  const mean = (of: (x: readonly number[]) => number) =>
    examples.reduce((sum, { x, weight }) => sum + weight * of(x), 0) / total;
  const means = Array.from({ length: size }, (_, j) => mean((x) => x[j] ?? 0));
  const spreads = means.map((m, j) => Math.sqrt(mean((x) => ((x[j] ?? 0) - m) ** 2)) || 1);
  return { means, spreads };
}

function derivatives(
  rows: readonly (readonly number[])[],
  examples: readonly Example[],
  w: readonly number[],
  ridge: number,
) {
  const gradient = w.map((v, j) => (j === 0 ? 0 : ridge * v));
  const curvature = w.map((_, j) => w.map((_, k) => (j === k ? (j === 0 ? 1e-6 : ridge) : 0)));
  for (const [i, row] of rows.entries()) {
    const { match, weight } = examples[i] as Example;
    const p = 1 / (1 + Math.exp(-dot(w, row)));
    const pull = (p - Number(match)) * weight;
    const bend = p * (1 - p) * weight;
    for (let j = 0; j < row.length; j += 1) {
      const xj = row[j] as number;
      gradient[j] = (gradient[j] as number) + pull * xj;
      const line = curvature[j] as number[];
      for (let k = 0; k < row.length; k += 1) line[k] = (line[k] as number) + bend * xj * (row[k] as number);
    }
  }
  return { gradient, curvature };
}

function rest(gradient: number[], curvature: number[][], j: number): void {
  gradient[j] = 0;
  for (const [k, line] of curvature.entries()) {
    line[j] = k === j ? 1 : 0;
    if (k === j) line.fill(0).splice(j, 1, 1);
  }
}

/** Gaussian elimination; the matrix is positive definite, so that no pivot is needed. */
function solved(matrix: readonly (readonly number[])[], right: readonly number[]): number[] {
  const rows = matrix.map((row, i) => [...row, right[i] ?? 0]);
  for (const [j, pivot] of rows.entries()) {
    const scale = pivot[j] as number;
    for (let k = j; k < pivot.length; k += 1) pivot[k] = (pivot[k] as number) / scale;
    for (const [i, row] of rows.entries()) {
      const factor = row[j] as number;
      if (i === j || factor === 0) continue;
      for (let k = j; k < row.length; k += 1) row[k] = (row[k] as number) - factor * (pivot[k] as number);
    }
  }
  return rows.map((row) => row[row.length - 1] as number);
}
