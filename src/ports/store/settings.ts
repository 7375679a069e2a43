export interface SettingStore {
  get(name: string): Promise<string | null>;
  /** Keeps `value` unless one is there; resolves to the value kept. Exact when several processes start at once. */
  setOnce(name: string, value: string): Promise<string>;
  set(name: string, value: string): Promise<void>;
}
