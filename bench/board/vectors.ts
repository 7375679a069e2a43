import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MODELS } from "../../src/embed/models.ts";
import { quantize } from "../../src/search/ranking/vectors.ts";
import { embedAll, openModel } from "../support/model.ts";
import { seeded } from "../support/random.ts";
import type { Texts } from "./texts.ts";

const [{ dimension: DIMENSION, name: MODEL }] = MODELS;

/** Gives vectors for posts in any number, and those of the queries about them. */
export interface PostVectors {
  /** The heading of a result names it. */
  source: string;
  /** Draws one post's, a unit vector as int8. */
  draw(random: () => number): Int8Array;
  /** Vectors are kept by the query's text. */
  queries: ReadonlyMap<string, Int8Array>;
}

/** These tell how many are scattered around one subject and around each post, and how far. */
const CLUSTERS = 64;
const PER_CLUSTER = 32;
const SCATTER = 0.07;
const NOISE = 0.025;

/**
 * Mixtures of two vectors with a little noise: a million posts cannot be embedded in a bench. Where titles are real, the two
 * are the model's, and so are the queries'; else they lie around random subjects.
 */
export async function postVectors({ titles, short, long }: Texts): Promise<PostVectors> {
  const queries = [...short, ...long];
  if (titles.length === 0) {
    const pool = scattered();
    const random = seeded(53);
    const asked = queries.map((query) => [query, mixture(pool, random)] as const);
    return {
      source: "mixtures around random subjects",
      draw: (next) => mixture(pool, next),
      queries: new Map(asked),
    };
  }
  const vectors = await embeddedOnce([...titles, ...queries]);
  const pool = vectors.slice(0, titles.length);
  const asked = queries.map(
    (query, i) => [query, quantize(vectors[titles.length + i] ?? new Float32Array(DIMENSION))] as const,
  );
  return {
    source: `mixtures of two vectors by ${MODEL}`,
    draw: (next) => mixture(pool, next),
    queries: new Map(asked),
  };
}

function mixture(pool: readonly Float32Array[], random: () => number): Int8Array {
  const any = () => pool[Math.floor(random() * pool.length)] ?? new Float32Array(DIMENSION);
  const [a, b, share] = [any(), any(), 0.5 + random() / 2];
  const mixed = a.map((x, i) => share * x + (1 - share) * (b[i] ?? 0) + NOISE * around(random));
  return quantize(unit(mixed));
}

/** Makes subjects in random directions, and vectors around each. */
function scattered(): Float32Array[] {
  const random = seeded(47);
  return Array.from({ length: CLUSTERS }, () =>
    unit(Float32Array.from({ length: DIMENSION }, () => around(random))),
  ).flatMap((subject) =>
    Array.from({ length: PER_CLUSTER }, () => unit(subject.map((x) => x + SCATTER * around(random)))),
  );
}

/** Draws around 0, at most ±1.5, with a deviation of a half. */
const around = (random: () => number) => random() + random() + random() - 1.5;

function unit(vector: Float32Array): Float32Array {
  let square = 0;
  for (const x of vector) square += x * x;
  const length = Math.sqrt(square);
  return vector.map((x) => x / length);
}

/** The model's vectors, kept in the folder for temporary files: they take half a minute. */
async function embeddedOnce(texts: readonly string[]): Promise<Float32Array[]> {
  const digest = createHash("sha256").update(texts.join("\n")).digest("hex").slice(0, 16);
  const file = join(tmpdir(), `bench-vectors-${MODEL}-${digest}.f32`);
  if (!existsSync(file)) {
    const embedder = await openModel();
    const vectors = await embedAll(embedder, texts, "post");
    await embedder.close();
    writeFileSync(
      file,
      Buffer.concat(
        vectors.map(({ buffer, byteOffset, byteLength }) => new Uint8Array(buffer, byteOffset, byteLength)),
      ),
    );
  }
  const { buffer, byteOffset } = readFileSync(file);
  return texts.map((_, i) => new Float32Array(buffer, byteOffset + i * DIMENSION * 4, DIMENSION));
}
