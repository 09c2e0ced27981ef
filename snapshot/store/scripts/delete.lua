-- Delete a stored version that is not served.
-- KEYS: pointer to the current version, sorted set of versions, then every part of the version. ARGV: version.
if not redis.call('ZSCORE', KEYS[2], ARGV[1]) then
  return redis.error_reply('REFUSED no version ' .. ARGV[1])
end
if redis.call('GET', KEYS[1]) == ARGV[1] then
  return redis.error_reply('REFUSED version ' .. ARGV[1] .. ' is served; activate another one first')
end
redis.call('ZREM', KEYS[2], ARGV[1])
for i = 3, #KEYS do redis.call('DEL', KEYS[i]) end
return ARGV[1]
