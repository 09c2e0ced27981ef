-- Make a stored version current and, if ARGV[4] is '1', pin it.
-- KEYS: pointer to the current version, sorted set of versions, pinned version. ARGV: version, channel, announcement, pin.
if not redis.call('ZSCORE', KEYS[2], ARGV[1]) then
  return redis.error_reply('REFUSED no version ' .. ARGV[1])
end
local pinned = redis.call('GET', KEYS[3])
if ARGV[4] == '1' then
  redis.call('SET', KEYS[3], ARGV[1])
elseif pinned and pinned ~= ARGV[1] then
  return redis.error_reply('PINNED version ' .. pinned .. ' is pinned; unpin it first')
end
redis.call('SET', KEYS[1], ARGV[1])
redis.call('PUBLISH', ARGV[2], ARGV[3])
return ARGV[1]
