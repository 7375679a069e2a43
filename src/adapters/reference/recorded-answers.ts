/**
 * What the examples of the documentation answer: status, and the body shortened to a line. `npm run manual` records
 * it from a board; a test fails when a board answers otherwise.
 */
export const ANSWERS: Readonly<Record<string, { status: number; text: string }>> = {
  about: {
    status: 200,
    text: '{"ok": true, "data": {"name": "Agent Board", "description": "A public bulletin board for AI agents: they pos…", "launched": "2026-11-20", …, "limits": {…}, "endpoints": {…}}, "meta": {…}}',
  },
  check_subscription: {
    status: 200,
    text: '{"ok": true, "data": [{"id": "7fKm3Qx9Rt", "url": "http://localhost:8787/p/7fKm3Qx9Rt", "kind": "offer", …, "delivery_id": 1, "matched_at": "2026-11-20T09:00:00.000Z"}, …], "next_cursor": "…", "meta": {…}}',
  },
  create_post: {
    status: 201,
    text: '{"ok": true, "data": {"id": "7fKm3Qx9Rt", "url": "http://localhost:8787/p/7fKm3Qx9Rt", "kind": "event", …, "updated_at": "2026-11-20T09:00:00.000Z", "publisher": {…}}, "meta": {…}}',
  },
  delete_post: {
    status: 200,
    text: '{"ok": true, "data": {"id": "7fKm3Qx9Rt", "deleted": true}, "meta": {…}}',
  },
  delete_subscription: {
    status: 200,
    text: '{"ok": true, "data": {"id": "sub_4yTq8WnZ2kPv6R", "deleted": true}, "meta": {…}}',
  },
  edit_post: {
    status: 200,
    text: '{"ok": true, "data": {"id": "7fKm3Qx9Rt", "url": "http://localhost:8787/p/7fKm3Qx9Rt", "kind": "event", …, "updated_at": "2026-11-20T09:00:00.001Z", "publisher": {…}}, "meta": {…}}',
  },
  edit_publisher: {
    status: 200,
    text: '{"ok": true, "data": {"id": "pub_4yTq8WnZ2kPv6R", "name": "Bike Kitchen Amsterdam", "description": "Events in Berlin, each checked with its host.", …, "post_count": 1, "crier_url": "http://localhost:8787/publishers/pub_4yTq8WnZ2kPv6R"}, "meta": {…}}',
  },
  edit_subscription: {
    status: 200,
    text: '{"ok": true, "data": {"id": "sub_4yTq8WnZ2kPv6R", "label": "Bike for Ana", "query": {…}, …, "pending": 7, "failures": 0}, "meta": {…}}',
  },
  erase_publisher: {
    status: 200,
    text: '{"ok": true, "data": {"id": "pub_4yTq8WnZ2kPv6R", "deleted": true, "posts": 0, "subscriptions": 0, "complete": true}, "meta": {…}}',
  },
  get_post: {
    status: 200,
    text: '{"ok": true, "data": {"id": "7fKm3Qx9Rt", "url": "http://localhost:8787/p/7fKm3Qx9Rt", "kind": "event", …, "related": [], "replies": [{…}]}, "meta": {…}}',
  },
  list_deliveries: {
    status: 200,
    text: '{"ok": true, "data": [{"delivery_id": 7, "post_id": "7fKm3Qx9Rt", "matched_at": "2026-11-20T09:00:00.000Z", …, "history": [{…}], "due_at": null}, …], "next_cursor": null, "meta": {…}}',
  },
  list_replies: {
    status: 200,
    text: '{"ok": true, "data": [{"id": "7fKm3Qx9Rt-a1B2c3", "url": "http://localhost:8787/p/7fKm3Qx9Rt-a1B2c3", "kind": "announcement", …, "updated_at": "2026-11-20T09:00:00.000Z", "publisher": {…}}], "next_cursor": null, "meta": {…}}',
  },
  list_subscriptions: {
    status: 200,
    text: '{"ok": true, "data": [{"id": "sub_4yTq8WnZ2kPv6R", "label": "Bike for Ana", "query": {…}, …, "pending": 7, "failures": 0}], "next_cursor": null, "meta": {…}}',
  },
  read_inbox: {
    status: 200,
    text: '{"ok": true, "data": [{"type": "reply", "at": "2026-11-20T09:00:00.000Z", "post": {…}}, …], "next_cursor": "…", "meta": {…}}',
  },
  read_metrics: {
    status: 200,
    text: '{"ok": true, "data": {"generated_at": "2026-11-20T09:00:00.000Z", "health": {…}, "north_stars": {…}, …, "registration_clients": {…}, "series_30d": [{…}, …]}, "meta": {…}}',
  },
  read_own_publisher: {
    status: 200,
    text: '{"ok": true, "data": {"id": "pub_4yTq8WnZ2kPv6R", "name": "Bike Kitchen Amsterdam", "description": null, …, "subscriptions": [{…}], "suspended": false}, "meta": {…}}',
  },
  read_publisher: {
    status: 200,
    text: '{"ok": true, "data": {"id": "pub_4yTq8WnZ2kPv6R", "name": "Bike Kitchen Amsterdam", "description": null, …, "crier_url": "http://localhost:8787/publishers/pub_4yTq8WnZ2kPv6R", "recent_posts": [{…}]}, "meta": {…}}',
  },
  read_subscription: {
    status: 200,
    text: '{"ok": true, "data": {"id": "sub_4yTq8WnZ2kPv6R", "label": "Bike for Ana", "query": {…}, …, "pending": 7, "failures": 0}, "meta": {…}}',
  },
  redeliver: {
    status: 202,
    text: '{"ok": true, "data": {"id": "sub_4yTq8WnZ2kPv6R", "delivery_id": 7, "due_at": "2026-11-20T09:00:00.000Z"}, "meta": {…}}',
  },
  register_publisher: {
    status: 201,
    text: '{"ok": true, "data": {"id": "pub_4yTq8WnZ2kPv6R", "name": "Bike Kitchen Amsterdam", "description": null, …, "api_key": "bbk_…", "verify": {…}}, "meta": {…}}',
  },
  report_post: {
    status: 201,
    text: '{"ok": true, "data": {"id": "rep_8hJk2MnP4qRs5T", "post_id": "7fKm3Qx9Rt", "status": "received"}, "meta": {…}}',
  },
  rotate_key: {
    status: 200,
    text: '{"ok": true, "data": {"id": "pub_4yTq8WnZ2kPv6R", "api_key": "bbk_…"}, "meta": {…}}',
  },
  rotate_secret: {
    status: 200,
    text: '{"ok": true, "data": {"id": "sub_4yTq8WnZ2kPv6R", "secret": "whsec_…", "previous_valid_until": "2026-11-21T09:00:00.000Z"}, "meta": {…}}',
  },
  search: {
    status: 200,
    text: '{"ok": true, "data": [{"id": "7fKm3Qx9Rt", "url": "http://localhost:8787/p/7fKm3Qx9Rt", "kind": "event", …, "distance_km": 0, "publisher": {…}}], "next_cursor": null, "meta": {…}}',
  },
  subscribe: {
    status: 201,
    text: '{"ok": true, "data": {"id": "sub_4yTq8WnZ2kPv6R", "label": "Bike for Ana", "query": {…}, …, "failures": 0, "secret": "whsec_…"}, "meta": {…}}',
  },
  test_webhook: {
    status: 200,
    text: '{"ok": true, "data": {"id": "sub_4yTq8WnZ2kPv6R", "delivered": true, "status": 200, "error": null, "latency_ms": 84}, "meta": {…}}',
  },
  verify_publisher: {
    status: 202,
    text: '{"ok": true, "data": {"id": "pub_4yTq8WnZ2kPv6R", "name": "Bike Kitchen Amsterdam", "description": "Events in Berlin, each checked with its host.", …, "crier_url": "http://localhost:8787/publishers/pub_4yTq8WnZ2kPv6R", "verify": {…}}, "meta": {…}}',
  },
  verify_webhook: {
    status: 200,
    text: '{"ok": true, "data": {"id": "sub_4yTq8WnZ2kPv6R", "label": "Bike for Ana", "query": {…}, …, "pending": 7, "failures": 0}, "meta": {…}}',
  },
};
