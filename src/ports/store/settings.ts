export interface SettingStore {
  get(name: string): Promise<string | null>;
  /** Keeps `value` unless there is one; resolves to the one that is kept. Exact when several processes start at once. */
  setOnce(name: string, value: string): Promise<string>;
  set(name: string, value: string): Promise<void>;
}
