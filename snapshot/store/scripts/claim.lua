-- Take the first notice that is due, and let it be due again after a while, in case whoever took it dies.
-- KEYS: outbox, hash of notices. ARGV: time, time at which it is due again. Returns id and notice, or nothing.
local id = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', ARGV[1], 'LIMIT', 0, 1)[1]
if not id then return nil end
local notice = redis.call('HGET', KEYS[2], id)
if not notice then
  redis.call('ZREM', KEYS[1], id)
  return nil
end
redis.call('ZADD', KEYS[1], ARGV[2], id)
return {id, notice}
