-- Make a stored version current.
-- KEYS: pointer to the current version, sorted set of versions. ARGV: version, channel, announcement.
if not redis.call('ZSCORE', KEYS[2], ARGV[1]) then
  return redis.error_reply('REFUSED no version ' .. ARGV[1])
end
redis.call('SET', KEYS[1], ARGV[1])
redis.call('PUBLISH', ARGV[2], ARGV[3])
return ARGV[1]
