/** A model that cannot be used: one sentence, with what to do about it. */
export class ModelRefused extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = "ModelRefused";
  }
}
