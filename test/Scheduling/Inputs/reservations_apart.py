"""Prints a problem whose nodes take one unit twice, the second time a while after their start."""

print("problem apart\nunit A 1")
for i in range(60):
    print(f"node n{i} use=A:{i % 7}:{50 + i % 11}:1 use=A:{200 + i}:{9 + i % 13}")
